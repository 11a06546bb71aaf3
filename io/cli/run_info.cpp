#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "io/cli/commands.h"
#include "io/cli/console_text.h"
#include "io/file/file.h"
#include "io/file/json_text.h"
#include "io/file/printable.h"
#include "io/file/short_number.h"
#include "io/perform/run_place.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

std::string line(std::string_view label, const std::string& text) {
  return text.empty() ? "" : fmt::format("{:<10} {}\n", label, text);
}

bool has_number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number();
}

std::string number(const Json& object, const char* key, double factor = 1.0) {
  return has_number(object, key) ? short_number(factor * object.at(key).get<double>()) : "-";
}

// Frames and counts keep all digits.
std::string count(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || !found->is_number_integer() ? "-" : json_text(*found);
}

std::string word(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || !found->is_string() ? "" : printable(found->get<std::string>());
}

// Empty where there is none.
Json part(const Json& object, const char* key) {
  return object.contains(key) ? object.at(key) : Json::object();
}

// All that is asked of a keyframe or track, and whether it came to that.
std::string verdict_text(const Json& target) {
  std::string text;
  if (has_number(target, "tolerance_m"))
    text += fmt::format(", {} mm are allowed", number(target, "tolerance_m", 1e3));
  if (has_number(target, "tolerance_max_m"))
    text += fmt::format(", no vertex beyond {} mm", number(target, "tolerance_max_m", 1e3));
  if (has_number(target, "velocity_rms_m_s"))
    text += fmt::format("; velocities {} m/s", number(target, "velocity_rms_m_s"));
  if (has_number(target, "velocity_tolerance_m_s"))
    text += fmt::format(", {} are allowed", number(target, "velocity_tolerance_m_s"));
  const auto reached = target.find("reached");
  for (const char* tolerance : {"tolerance_m", "tolerance_max_m", "velocity_tolerance_m_s"})
    if (has_number(target, tolerance))
      return text + (reached != target.end() && *reached == true ? ": reached" : ": NOT reached");
  return text;
}

// Unknown of a simulation with forces, which has no run without them.
std::string uncontrolled_text(const Json& target) {
  return has_number(target, "uncontrolled_rms_m")
             ? fmt::format("; {} mm without control", number(target, "uncontrolled_rms_m", 1e3))
             : "";
}

std::string keyframe_text(const Json& k) {
  return fmt::format("frame {}: {} mm RMS, at most {} mm{}{}", count(k, "frame"), number(k, "rms_m", 1e3),
                     number(k, "max_m", 1e3), verdict_text(k), uncontrolled_text(k));
}

std::string track_text(const Json& track) {
  const Json range = part(track, "range"), worst = part(track, "worst");
  const std::string frames =
      range.size() == 2 ? fmt::format("{}-{}", json_text(range.front()), json_text(range.back())) : "-";
  return fmt::format("frames {}: {} mm RMS, at worst {} mm at frame {}{}{}", frames,
                     number(track, "rms_m", 1e3), number(worst, "rms_m", 1e3), count(worst, "frame"),
                     verdict_text(track), uncontrolled_text(track));
}

// What there is to say of a list in the summary, a line each.
template <class Text>
std::string lines(std::string_view label, const Json& summary, const char* key, const Text& text) {
  std::string all;
  if (const auto list = summary.find(key); list != summary.end() && list->is_array())
    for (const Json& each : *list) all += line(all.empty() ? label : "", text(each));
  return all;
}

namespace fs = std::filesystem;

// The scene beside whose NAME_out a take lies; empty: it is not known.
fs::path scene_of_take(const fs::path& folder) {
  const fs::path takes = folder.parent_path();
  const std::string name = takes.filename().string();
  if (!name.ends_with(kEndOfTakes)) return {};
  const fs::path scene = takes.parent_path() / (name.substr(0, name.size() - kEndOfTakes.size()) + ".toml");
  return fs::exists(scene) ? scene : fs::path();
}

// Of the scene that the run is of; empty: its record does not say.
std::string scene_name(const fs::path& folder) {
  const fs::path record = folder / "shot/shot.json";
  return fs::is_regular_file(record) ? word(json_if_any(read_file(record)), "name") : "";
}

// What a simulation was given beside its scene, and is to be given again.
std::string options_of_simulation(const fs::path& folder) {
  const Json run = json_if_any(read_file(folder / kSimulationFile));
  std::string text;
  for (const auto& [option, value] : {std::pair("--draft", ""),
                                      {"--forces", " FORCES.npy"},
                                      {"--channels", " CHANNELS.json"},
                                      {"--along", " DIR"}})
    if (run.is_object() && run.contains(option)) text += fmt::format(" {}{}", option, value);
  return text;
}

// The command that goes on with a run that was broken off; empty: it has left nothing to go on from.
std::string resume_text(const fs::path& folder) {
  const bool is_search = fs::exists(folder / "checkpoint.json");
  if (!is_search && !fs::exists(folder / kSimulationFile)) return "";
  const fs::path scene = scene_of_take(folder);
  return fmt::format("keydrape {} {} --resume{}", is_search ? "solve" : "simulate",
                     scene.empty() ? fmt::format("SCENE.toml -o {}", printable(shell_word(folder.string())))
                                   : fmt::format("{} --take {}", printable(shell_word(scene.string())),
                                                 printable(shell_word(folder.filename().string()))),
                     is_search ? "" : options_of_simulation(folder));
}

// Whether the run came to the last frame. Summaries of before this was counted do not say.
bool is_complete(const Json& summary) {
  const auto done = summary.find("frames_done"), all = summary.find("frames");
  return done == summary.end() || all == summary.end() || *done == *all;
}

// What has missed its tolerance, in a few words.
std::string missed_text(const Json& summary) {
  const auto any_missed = [&](const char* targets) {
    const auto found = summary.find(targets);
    return found != summary.end() && std::any_of(found->begin(), found->end(), [](const Json& target) {
             return target.is_object() && target.contains("reached") && target["reached"] == false;
           });
  };
  if (!any_missed("tracks")) return "a keyframe missed its tolerance";
  return any_missed("keyframes") ? "a keyframe and a track missed their tolerance"
                                 : "a track missed its tolerance";
}

std::string status_text(const std::string& status, const Json& summary, bool goes_on) {
  if (status == "done") return "done";
  if (status == "missed") return "done, but " + missed_text(summary);
  if (status == "interrupted")
    return fmt::format("interrupted: {}; {}",
                       is_complete(summary)
                           ? "the best so far"
                           : fmt::format("{} of {} frames are there", count(summary, "frames_done"),
                                         count(summary, "frames")),
                       goes_on ? "it can be gone on with"
                               : "it was too short to be gone on with: begin again, with --force");
  if (status == "failed") return "failed: what there was until then; keydrape.log says why";
  return status;
}

// Older summaries say of linearised steps alone how exact they were.
bool is_draft(const Json& summary) {
  const auto preview = summary.find("preview");
  return preview == summary.end() ? summary.contains("draft") : *preview == true;
}

std::string frames_text(const Json& summary) {
  return is_complete(summary)
             ? count(summary, "frames")
             : fmt::format("{} of {}", count(summary, "frames_done"), count(summary, "frames"));
}

// Nothing where there are none.
std::string forces_text(const Json& effort) {
  if (!effort.is_object() || !effort.contains("peak_g") || effort["peak_g"] == 0.0) return "";
  return fmt::format("peak {} g, RMS {} g, most in frame {}", number(effort, "peak_g"),
                     number(effort, "rms_g"), count(effort, "largest_frame"));
}

std::string summary_text(const fs::path& folder, const Json& summary) {
  const std::string resume = word(summary, "status") == "interrupted" ? resume_text(folder) : "";
  const std::string runs = count(part(summary, "work"), "forward_simulations");
  return line("run", printable(folder.string())) + line("scene", scene_name(folder)) +
         line("status", status_text(word(summary, "status"), summary, !resume.empty()) +
                            (is_draft(summary) ? "; a draft, of linearised steps: to look at alone" : "")) +
         line("cloth",
              fmt::format("{} vertices, {} triangles; {} frames of {} substeps", count(summary, "vertices"),
                          count(summary, "triangles"), frames_text(summary), count(summary, "substeps"))) +
         lines("keyframes", summary, "keyframes", keyframe_text) +
         lines("tracks", summary, "tracks", track_text) +
         line("forces", forces_text(part(summary, "effort"))) +
         line("work", fmt::format("{} forward simulation{} in {} s", runs, runs == "1" ? "" : "s",
                                  number(part(summary, "time_s"), "total"))) +
         line("version", word(summary, "version")) + line("go on", resume) +
         line("next", fmt::format("keydrape report {}", printable(shell_word(folder.string()))));
}

// The folder of a scene's takes stands for the newest of them: of those that are left where `latest` leads to
// none of them any more.
fs::path run_meant_by(const fs::path& named) {
  const fs::path latest = named / kLatestTake;
  if (fs::exists(named / "summary.json")) return take_behind(named);
  if (fs::exists(latest)) return take_behind(latest);
  return fs::is_symlink(latest) ? runs_in(named).back() : take_behind(named);
}

}  // namespace

ExitCode run_info(const fs::path& named, const CommonOptions& options) {
  const fs::path folder = run_meant_by(named);
  const fs::path file = folder / "summary.json";
  if (!fs::exists(file)) {
    const bool is_broken_off =
        fs::exists(folder / "convergence.jsonl") || fs::exists(folder / "keydrape.log");
    const std::string resume = resume_text(folder);
    throw InputError(fmt::format(
        "{}: {}; expected a mesh, a cache, or the folder of a run with its summary.json; {}", folder.string(),
        is_broken_off ? "holds a run that is going on, or was broken off" : "is a folder without a run",
        !is_broken_off   ? "name a file in it, or the folder of the results"
        : resume.empty() ? "wait for its end, or begin again, with --force"
                         : "wait for its end, or go on: " + resume));
  }
  const std::string text = read_file(file);
  const Json summary = json_if_any(text);
  if (!summary.is_object())
    throw InputError(fmt::format(
        "{}: is no JSON object; expected the summary of a run, as keydrape writes it", file.string()));
  print_text(options.json ? json_text(summary, 2) + "\n" : summary_text(folder, summary));
  return ExitCode::kDone;
}

}  // namespace keydrape
