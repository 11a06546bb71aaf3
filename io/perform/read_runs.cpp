#include "io/perform/read_runs.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "io/file/file.h"
#include "io/file/json_text.h"
#include "io/formats/format.h"
#include "io/run/run_folder.h"
#include "io/run/shot_record.h"
#include "io/take/take_files.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

nlohmann::ordered_json json_of(const fs::path& file) {
  return fs::is_regular_file(file) ? json_if_any(read_file(file)) : nlohmann::ordered_json();
}

// The run's folder that a result lies in; empty: none. Some results lie in a folder of their own.
fs::path run_of(const fs::path& file) {
  for (const fs::path& folder : {file.parent_path(), file.parent_path().parent_path()})
    if (fs::is_regular_file(folder / "summary.json")) return folder;
  return {};
}

// "take_003", where the folder is a link.
std::string behind(const fs::path& folder) {
  return fs::is_symlink(folder) ? fmt::format(" ({})", fs::read_symlink(folder).string()) : "";
}

// simulate --draft.
bool is_draft(const fs::path& folder) {
  const auto summary = json_of(folder / "summary.json");
  return summary.is_object() && summary.contains("preview") && summary["preview"] == true;
}

// The name of the scene that `latest` of NAME_out leads to a run of, if it is another than NAME; empty: it is
// the same, or not known.
std::string other_scene(const fs::path& folder) {
  std::string name = folder.parent_path().filename().string();
  if (folder.filename() != kLatestTake || !fs::is_symlink(folder) || !name.ends_with(kEndOfTakes)) return "";
  name.resize(name.size() - kEndOfTakes.size());
  const auto shot = json_of(folder / "shot/shot.json");
  const bool says = shot.is_object() && shot.contains("name") && shot["name"].is_string();
  if (!says || shot["name"] == name) return "";
  // [shot] name may call it otherwise.
  std::string found = shot["name"];
  const fs::path scene = folder.parent_path().parent_path() / (name + ".toml");
  const bool is_its_own =
      fs::is_regular_file(scene) && read_file(scene).find('"' + found + '"') != std::string::npos;
  return is_its_own ? "" : found;
}

}  // namespace

void add_doubts_of_read_runs(const std::vector<SceneFile>& files, std::vector<std::string>& warnings) {
  std::set<std::pair<std::string, fs::path>> told;  // of forces and what lies beside them once
  for (const SceneFile& file : files) {
    const fs::path folder = run_of(file.path);
    if (folder.empty() || !told.emplace(file.source.where() + file.key, folder).second) continue;
    const std::string where = file.source.file.empty() ? "" : file.source.where() + ": ";
    if (is_draft(folder))
      warnings.push_back(
          fmt::format("{}{}: found {}, of a draft{}, whose steps are linearised: to look at alone; simulate "
                      "without --draft, and name that run",
                      where, file.key, file.path.string(), behind(folder)));
    if (const std::string other = other_scene(folder); !other.empty())
      warnings.push_back(
          fmt::format("{}{}: found {}, and that run{} is of another scene, {}; name the take that is "
                      "meant",
                      where, file.key, file.path.string(), behind(folder), other));
  }
}

void add_what_run_says(const fs::path& file, ReadCacheOptions& options) {
  const FormatTraits& format = traits(format_of(file));
  if (format.has_space) return;
  const fs::path inner = short_path(fs::absolute(file)).parent_path();
  fs::path folder = inner;
  for (int up = 0; up < 2; ++up, folder = folder.parent_path()) {
    if (!fs::exists(folder / "shot") || !fs::exists(folder / "keydrape.log")) continue;
    const ShotRecord shot = read_shot_record(folder);
    const bool is_record = inner == folder / "shot";  // in metres, as .npy is
    if (!options.meters_per_unit && format.format != Format::kNpy)
      options.meters_per_unit = is_record ? 1.0 : shot.meters_per_unit;
    if (!options.up_axis) options.up_axis = shot.up_axis == "Z" ? UpAxis::kZ : UpAxis::kY;
    const bool is_of_steps = file.filename() == kStepsFile;
    options.fps = is_of_steps ? shot.fps * shot.substeps : shot.fps;
    if (!is_of_steps && !format.one_frame_a_file) options.first_frame = shot.frames.first;
    return;
  }
}

}  // namespace keydrape
