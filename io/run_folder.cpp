#include "io/run_folder.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "io/file.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

// Everything that a run writes, but for sequences.
constexpr std::string_view kResults[] = {
    "summary.json",     "convergence.jsonl", "steps.jsonl",      "uncontrolled.pc2", "controlled.pc2",
    "simulated.pc2",    "controlled.mdd",    "simulated.mdd",    "controlled.glb",   "simulated.glb",
    "controlled.usda",  "simulated.usda",    "controlled.pvd",   "simulated.pvd",    "positions.npy",
    "forces.npy",       "channels.json",     "forces_steps.npy", kStepsFile,         "contacts.npy",
    "checkpoint_a.npy", "checkpoint_b.npy",  "checkpoint.json",  kSimulationFile,    "keydrape.log",
    "report.html",      "shot/shot.json",    "shot/scene.toml",  "shot/rest.obj"};

// Folders of sequences, and what their files end with.
constexpr std::pair<std::string_view, std::string_view> kSequences[] = {{"obj", ".obj"},
                                                                        {"shot", ".obj"},
                                                                        {"shot", ".npy"},
                                                                        {"ply", ".ply"},
                                                                        {kSimulationFolder, ".npy"},
                                                                        {"controlled_vtp", ".vtp"},
                                                                        {"simulated_vtp", ".vtp"}};

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

// Whether a killed run has left this behind: AtomicFile's temporary name of a file that runs write.
bool is_leftover(const fs::path& file) {
  static const std::regex kTemporary(R"(\.(.+)\.\d+-\d+\.tmp)");
  std::smatch match;
  const std::string name = file.filename().string();
  if (!std::regex_match(name, match, kTemporary)) return false;
  const fs::path written = match[1].str();
  for (const std::string_view result : kResults)
    if (written == fs::path(result).filename()) return true;
  for (const auto& [folder, extension] : kSequences)
    if (file.parent_path().filename() == folder && written.extension() == extension) return true;
  return false;
}

void remove_leftovers(const fs::path& folder) {
  if (!fs::is_directory(folder)) return;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && is_leftover(entry.path())) remove_file(entry.path());
}

// The status in the folder's summary; empty if there is none that can be read.
std::string earlier_status(const fs::path& folder) {
  if (!fs::exists(folder / "summary.json")) return "";
  const auto summary = nlohmann::json::parse(read_file(folder / "summary.json"), nullptr, false);
  return summary.is_object() ? summary.value("status", "") : "";
}

void refuse_to_replace(const fs::path& folder, const std::string& status) {
  // One that was killed has no summary yet.
  const bool can_go_on = status == "interrupted" || status.empty();
  const bool is_search = can_go_on && fs::exists(folder / "checkpoint.json");
  const bool is_simulation = can_go_on && fs::exists(folder / kSimulationFile);
  if (status != "done" && status != "missed" && !is_search && !is_simulation) return;
  std::string_view advice;
  if (is_search) advice = "use solve --resume to continue it, ";
  if (is_simulation) advice = "use simulate --resume to continue it, ";
  throw InputError(
      fmt::format("{}: holds the results of {} run; expected a folder without; {}use --force to replace "
                  "them, or -o to choose another folder",
                  folder.string(), advice.empty() ? "a finished" : "an interrupted", advice));
}

void remove_results(const fs::path& folder) {
  for (const std::string_view name : kResults) remove_file(folder / name);
  for (const auto& [name, extension] : kSequences) {
    if (!fs::is_directory(folder / name)) continue;
    for (const auto& entry : fs::directory_iterator(folder / name))
      if (entry.is_regular_file() && entry.path().extension() == extension) remove_file(entry.path());
  }
}

// Without links in its folder; it may be one itself.
fs::path resolved(const fs::path& file) {
  return fs::weakly_canonical(fs::absolute(file).parent_path()) / file.filename();
}

}  // namespace

bool is_result_of_run_in(const fs::path& folder, const fs::path& file) {
  const fs::path results = fs::weakly_canonical(fs::absolute(folder));
  for (const fs::path& place : {resolved(file), fs::weakly_canonical(fs::absolute(file))}) {
    for (const std::string_view name : kResults)
      if (place == results / name) return true;
    for (const auto& [name, extension] : kSequences)
      if (place.parent_path() == results / name && place.extension() == extension) return true;
  }
  return false;
}

RunFolder::RunFolder(fs::path path, EarlierRun earlier) : path_(std::move(path)) {
  create(path_);
  if (earlier == EarlierRun::kRefuse) refuse_to_replace(path_, earlier_status(path_));
  remove_leftovers(path_);
  remove_leftovers(path_ / "shot");
  for (const auto& [name, extension] : kSequences) remove_leftovers(path_ / name);
  if (earlier != EarlierRun::kContinue) remove_results(path_);
}

fs::path RunFolder::subfolder(std::string_view name) const {
  create(path_ / name);
  return path_ / name;
}

}  // namespace keydrape
