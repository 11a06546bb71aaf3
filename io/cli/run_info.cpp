#include <fmt/format.h>

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

std::string number(const Json& object, const char* key, double factor = 1.0) {
  const auto found = object.find(key);
  return found == object.end() || !found->is_number() ? "-" : short_number(factor * found->get<double>());
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

std::string keyframe_text(const Json& k) {
  const bool has_tolerance = k.contains("tolerance_m") && k["tolerance_m"].is_number();
  const auto reached = k.find("reached");
  const bool is_reached = reached != k.end() && *reached == true;
  return fmt::format("frame {}: {} mm RMS, at most {} mm{}; {} mm without control", count(k, "frame"),
                     number(k, "rms_m", 1e3), number(k, "max_m", 1e3),
                     has_tolerance ? fmt::format(", {} mm are allowed: {}", number(k, "tolerance_m", 1e3),
                                                 is_reached ? "reached" : "NOT reached")
                                   : "",
                     number(k, "uncontrolled_rms_m", 1e3));
}

// What there is to say of a list in the summary, a line each.
template <class Text>
std::string lines(std::string_view label, const Json& summary, const char* key, const Text& text) {
  std::string all;
  if (const auto list = summary.find(key); list != summary.end() && list->is_array())
    for (const Json& each : *list) all += line(all.empty() ? label : "", text(each));
  return all;
}

std::string status_text(const std::string& status) {
  if (status == "done") return "done";
  if (status == "missed") return "done, but a keyframe missed its tolerance";
  if (status == "interrupted") return "interrupted: the best so far; --resume goes on";
  if (status == "failed") return "failed: what there was until then; keydrape.log says why";
  return status;
}

std::string summary_text(const std::filesystem::path& folder, const Json& summary) {
  const Json none = Json::object();
  const Json& effort = summary.contains("effort") ? summary["effort"] : none;
  const Json& work = summary.contains("work") ? summary["work"] : none;
  const Json& time = summary.contains("time_s") ? summary["time_s"] : none;
  return line("run", printable(folder.string())) +
         line("status",
              status_text(word(summary, "status")) +
                  (summary.contains("draft") ? "; a draft, of linearised steps: to look at alone" : "")) +
         line("cloth", fmt::format("{} vertices, {} triangles; {} frames of {} substeps",
                                   count(summary, "vertices"), count(summary, "triangles"),
                                   count(summary, "frames"), count(summary, "substeps"))) +
         lines("keyframes", summary, "keyframes", keyframe_text) +
         line("forces", fmt::format("peak {} g, RMS {} g, most in frame {}", number(effort, "peak_g"),
                                    number(effort, "rms_g"), count(effort, "largest_frame"))) +
         line("work", fmt::format("{} forward simulations in {} s", count(work, "forward_simulations"),
                                  number(time, "total"))) +
         line("version", word(summary, "version")) +
         line("next", fmt::format("keydrape report {}", printable(folder.string())));
}

}  // namespace

ExitCode run_info(const std::filesystem::path& named, const CommonOptions& options) {
  // The folder of a scene's takes stands for the newest of them.
  const bool holds_takes =
      !std::filesystem::exists(named / "summary.json") && std::filesystem::exists(named / kLatestTake);
  const std::filesystem::path folder = holds_takes ? named / kLatestTake : named;
  const std::filesystem::path file = folder / "summary.json";
  if (!std::filesystem::exists(file)) {
    const bool is_broken_off = std::filesystem::exists(folder / "convergence.jsonl") ||
                               std::filesystem::exists(folder / "keydrape.log");
    throw InputError(fmt::format(
        "{}: {}; expected a mesh, a cache, or the folder of a run with its summary.json; {}", folder.string(),
        is_broken_off ? "holds a run that is going on, or was broken off" : "is a folder without a run",
        is_broken_off ? "wait for its end, or go on with --resume"
                      : "name a file in it, or the folder of the results"));
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
