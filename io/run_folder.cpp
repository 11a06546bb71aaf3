#include "io/run_folder.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "io/file.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

// Everything that a run writes, but for sequences.
constexpr std::string_view kResults[] = {
    "summary.json",     "convergence.jsonl", "steps.jsonl",        "uncontrolled.pc2",
    "controlled.pc2",   "simulated.pc2",     "controlled.mdd",     "simulated.mdd",
    "controlled.glb",   "simulated.glb",     "controlled.usda",    "simulated.usda",
    "controlled.pvd",   "simulated.pvd",     "positions.npy",      "forces.npy",
    "forces_steps.npy", "steps.npy",         "checkpoint.npy",     "checkpoint.json",
    "keydrape.log",     "report.html",       "shot/shot.json",     "shot/scene.toml",
    "shot/rest.obj",    "shot/mass.npy",     "shot/keyframes.npy", "shot/keyframe_weights.npy",
    "channels.json"};

// Folders of sequences, and what their files end with.
constexpr std::pair<std::string_view, std::string_view> kSequences[] = {
    {"obj", ".obj"}, {"ply", ".ply"}, {"controlled_vtp", ".vtp"}, {"simulated_vtp", ".vtp"}};

void create(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder)) {
    throw OutputError(
        fmt::format("{}: cannot be created: {}; choose an output folder that you may write to (-o)",
                    folder.string(), error ? error.message() : "there is a file of this name"));
  }
}

void remove_file(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) {
    throw OutputError(fmt::format("{}: cannot be removed: {}; choose another output folder (-o)",
                                  file.string(), error.message()));
  }
}

// The status in the folder's summary; empty if there is none that can be read.
std::string earlier_status(const fs::path& folder) {
  if (!fs::exists(folder / "summary.json")) return "";
  const auto summary = nlohmann::json::parse(read_file(folder / "summary.json"), nullptr, false);
  return summary.is_object() ? summary.value("status", "") : "";
}

void refuse_to_replace(const fs::path& folder, const std::string& status) {
  const bool interrupted = status == "interrupted" && fs::exists(folder / "checkpoint.json");
  if (status != "done" && status != "missed" && !interrupted) return;
  throw InputError(
      fmt::format("{}: holds the results of {} run; expected a folder without; {}use --force to replace "
                  "them, or -o to choose another folder",
                  folder.string(), interrupted ? "an interrupted" : "a finished",
                  interrupted ? "use --resume to continue it, " : ""));
}

void remove_results(const fs::path& folder) {
  for (const std::string_view name : kResults) remove_file(folder / name);
  for (const auto& [name, extension] : kSequences) {
    if (!fs::is_directory(folder / name)) continue;
    for (const auto& entry : fs::directory_iterator(folder / name))
      if (entry.is_regular_file() && entry.path().extension() == extension) remove_file(entry.path());
  }
}

}  // namespace

RunFolder::RunFolder(fs::path path, EarlierRun earlier) : path_(std::move(path)) {
  create(path_);
  if (earlier == EarlierRun::kContinue) return;
  if (earlier == EarlierRun::kRefuse) refuse_to_replace(path_, earlier_status(path_));
  remove_results(path_);
}

fs::path RunFolder::subfolder(std::string_view name) const {
  create(path_ / name);
  return path_ / name;
}

}  // namespace keydrape
