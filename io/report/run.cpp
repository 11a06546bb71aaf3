#include "io/report/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "io/formats/npy.h"
#include "io/formats/pc2.h"
#include "io/run/contact_file.h"
#include "io/take/shown_numbers.h"
#include "io/take/take_files.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file, const std::string& found) {
  throw InputError(
      fmt::format("{}: {}; expected the results of one run; run the scene again", file.string(), found));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.push_back(text.substr(begin, end - begin));
  return lines;  // what follows the last line break is still being written
}

// The objects of a log; none if there is no such file.
std::vector<std::string> read_json_lines(const fs::path& file) {
  if (!fs::exists(file)) return {};
  std::vector<std::string> lines = lines_of(read_file(file));
  for (std::size_t k = 0; k < lines.size(); ++k)
    if (!nlohmann::json::accept(lines[k])) refuse(file, fmt::format("line {} is no JSON", k + 1));
  return lines;
}

std::string read_summary(const fs::path& file) {
  if (!fs::exists(file)) return "null";
  std::string text = read_file(file);
  if (!nlohmann::json::accept(text)) refuse(file, "is no JSON");
  return text;
}

// (states, n, 3) as frames of 3n, every `stride`-th state being one. Requires no more than the shot has.
std::vector<VecX> read_frames(const fs::path& file, const ShotRecord& shot, int stride = 1) {
  if (!fs::exists(file)) return {};
  const NpyArray array = read_npy(file);
  const std::int64_t n = shot.rest.vertex_count();
  const std::int64_t most = std::int64_t{shot.frames.count() - 1} * stride + 1;
  if (array.shape.size() != 3 || array.shape[0] > most || array.shape[1] != n || array.shape[2] != 3)
    refuse(file, fmt::format("has shape ({}) where the shot has {} {} of ({}, 3)",
                             fmt::join(array.shape, ", "), most, stride == 1 ? "frames" : "states", n));
  refuse_large(file, array.values);
  std::vector<VecX> frames;
  for (std::int64_t s = 0; s < array.shape[0]; s += stride)
    frames.push_back(array.values.segment(3 * n * s, 3 * n));
  return frames;
}

std::vector<VecX> read_cache(const fs::path& file, const ShotRecord& shot) {
  if (!fs::exists(file)) return {};
  PointCache cache = read_pc2(file);
  if (cache.point_count != shot.rest.vertex_count() ||
      static_cast<int>(cache.samples.size()) > shot.frames.count())
    refuse(file, fmt::format("has {} points and {} samples where the shot has {} vertices and {} frames",
                             cache.point_count, cache.samples.size(), shot.rest.vertex_count(),
                             shot.frames.count()));
  for (VecX& sample : cache.samples) {
    sample *= shot.meters_per_unit;
    refuse_large(file, sample);
  }
  return std::move(cache.samples);
}

std::vector<ReportTake> read_takes(const fs::path& folder, const ShotRecord& shot) {
  const std::array kOfSearch{"controlled.pc2", "uncontrolled.pc2", "forces.npy", "checkpoint.json"};
  const bool simulated = fs::exists(folder / "simulated.pc2") ||
                         std::none_of(kOfSearch.begin(), kOfSearch.end(),
                                      [&](const char* name) { return fs::exists(folder / name); });
  const std::string main = simulated ? "simulated" : "controlled", main_cache = main + ".pc2";
  std::vector<ReportTake> takes;
  if (auto frames = read_frames(folder / kPositionsFile, shot); !frames.empty())
    takes.push_back({main, std::string(kPositionsFile), std::move(frames)});
  else if (auto samples = read_cache(folder / main_cache, shot); !samples.empty())
    takes.push_back({main, main_cache, std::move(samples)});
  else if (auto states = read_frames(folder / kStepsFile, shot, shot.substeps); !states.empty())
    takes.push_back({main, std::string(kStepsFile), std::move(states)});
  if (auto samples = read_cache(folder / "uncontrolled.pc2", shot); !samples.empty())
    takes.push_back({kUncontrolledTake, "uncontrolled.pc2", std::move(samples)});
  return takes;
}

// The record's warnings, then those of keydrape.log, whose lines read "<date> <time> warning: <sentence>".
std::vector<std::string> read_warnings(const fs::path& log, const ShotRecord& shot) {
  static constexpr std::string_view kMark = " warning: ";
  std::vector<std::string> warnings = shot.warnings;
  if (!fs::exists(log)) return warnings;
  for (const std::string& line : lines_of(read_file(log))) {
    const std::size_t at = line.find(kMark);
    if (at == std::string::npos) continue;
    std::string sentence = line.substr(at + kMark.size());
    if (std::find(warnings.begin(), warnings.end(), sentence) == warnings.end())
      warnings.push_back(std::move(sentence));
  }
  return warnings;
}

}  // namespace

ReportRun read_report_run(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw InputError(fmt::format("{}: is no folder; expected one that keydrape simulate or solve has written",
                                 folder.string()));
  ReportRun run;
  run.folder = folder;
  run.shot = read_shot_record(folder);
  run.takes = read_takes(folder, run.shot);
  run.forces = read_frames(folder / kForcesFile, run.shot);
  run.contacts = read_contacts(folder / kContactFile, run.shot.frames);
  run.summary = read_summary(folder / "summary.json");
  run.convergence = read_json_lines(folder / "convergence.jsonl");
  run.steps = read_json_lines(folder / "steps.jsonl");
  run.warnings = read_warnings(folder / "keydrape.log", run.shot);
  return run;
}

std::vector<VecX> frames_of(const Trajectory& trajectory, int substeps) {
  std::vector<VecX> frames;
  for (int n = 0; n <= trajectory.first_failure(); n += substeps) frames.push_back(trajectory.states[n].x);
  return frames;
}

}  // namespace keydrape
