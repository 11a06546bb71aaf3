#include "io/wedge/element_files.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "io/file/file.h"
#include "io/file/json_text.h"
#include "io/file/printable.h"
#include "io/run/scene_files.h"
#include "io/wedge/element_state.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

// As they are now.
SceneFingerprint files_of_element(const fs::path& wedge, const WedgePlan& plan, const WedgeElement& element,
                                  FilesByContents& files) {
  return files.of(read_scene(element_scene(wedge, plan, element)));
}

[[noreturn]] void refuse_changes(const WedgeElement& element, const std::vector<std::string>& changes) {
  throw InputError(
      fmt::format("element {} reads files that have changed since the wedge was made: {}; restore them to go "
                  "on, or make the wedge anew from its scene, with --force",
                  element.number, in_short(changes)));
}

bool has_record(const fs::path& folder) { return fs::exists(folder / kElementFilesFile); }

}  // namespace

SceneFingerprint FilesByContents::of(const Scene& scene) {
  SceneFingerprint files;
  for (const SceneFile& file : scene_files(scene)) {
    if (file.path == scene.source.file) continue;
    const auto [known, is_new] = known_.try_emplace(file.named);
    if (is_new) known->second = file_fingerprint(file.named);
    files.emplace_back(printable(file.named.string()), known->second);
  }
  return files;
}

void record_files(const fs::path& folder, const SceneFingerprint& files) {
  write_file_atomically(folder / kElementFilesFile, json_text(fingerprint_json(files), 2) + "\n");
}

std::vector<std::string> changed_files(const fs::path& folder, const SceneFingerprint& now) {
  if (!has_record(folder)) return {};
  const fs::path file = folder / kElementFilesFile;
  try {
    return differences(fingerprint_of(parse_json(read_file(file))), now);
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: damaged: {}; remove the folder, and make the wedge anew from its scene",
                                 file.string(), shortened(error.what())));
  }
}

void refuse_changed_files(const fs::path& wedge, const WedgePlan& plan, const WedgeElement& element) {
  const fs::path folder = element_folder(wedge, element);
  if (!has_record(folder)) return;
  FilesByContents files;
  const auto changes = changed_files(folder, files_of_element(wedge, plan, element, files));
  if (!changes.empty()) refuse_changes(element, changes);
}

void refuse_changed_files(const fs::path& wedge, const WedgePlan& plan, bool again) {
  FilesByContents files;
  std::map<fs::path, SceneFingerprint> renewed;
  for (const WedgeElement& element : plan.elements) {
    const fs::path folder = element_folder(wedge, element);
    if (!has_record(folder)) continue;
    SceneFingerprint now = files_of_element(wedge, plan, element, files);
    const std::vector<std::string> changes = changed_files(folder, now);
    if (changes.empty()) continue;
    if (!again || element_outcome(folder).state != ElementState::kFailed) refuse_changes(element, changes);
    renewed[folder] = std::move(now);
  }
  for (const auto& [folder, now] : renewed) record_files(folder, now);
}

}  // namespace keydrape
