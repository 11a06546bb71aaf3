#include "io/take/take_files.h"

namespace keydrape {

std::filesystem::path forces_of_take(const std::filesystem::path& folder) {
  for (const std::string_view name : {kForcesOfStepsFile, kForcesFile})
    if (std::filesystem::exists(folder / name)) return folder / name;
  return {};
}

std::vector<std::filesystem::path> files_beside_forces(const std::filesystem::path& forces) {
  std::vector<std::filesystem::path> files;
  for (const std::string_view name : {kChannelsFile, kForcesOfStepsFile, kStepsFile})
    if (const auto file = forces.parent_path() / name; std::filesystem::exists(file)) files.push_back(file);
  return files;
}

}  // namespace keydrape
