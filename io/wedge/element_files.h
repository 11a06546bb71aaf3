#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/run/scene_fingerprint.h"
#include "io/wedge/wedge_plan.h"

// Meshes and caches that elements read: what they were as the wedge was made. Elements stand beside each
// other, so that all are to have read the same.

namespace keydrape {

inline constexpr std::string_view kElementFilesFile = "element_files.json";  // in an element's folder

// Files by their contents. One that many scenes name is read once.
class FilesByContents {
 public:
  // All that a scene reads but itself: a file's name and value. Throws InputError where one cannot be read.
  SceneFingerprint of(const Scene& scene);

 private:
  std::map<std::filesystem::path, std::string> known_;
};

// Throws OutputError.
void record_files(const std::filesystem::path& folder, const SceneFingerprint& files);
// "rest.obj was .. and is ..": in what `now` differs from what the folder has recorded; empty: in nothing, or
// nothing is recorded. Throws InputError: damaged.
std::vector<std::string> changed_files(const std::filesystem::path& folder, const SceneFingerprint& now);

// Throws InputError where an element's files have changed since the wedge was made. Before a run of it alone.
void refuse_changed_files(const std::filesystem::path& wedge, const WedgePlan& plan,
                          const WedgeElement& element);
// The same of all elements; `again`: those that failed are to run anew, with the files that are there now.
// Throws OutputError as well.
void refuse_changed_files(const std::filesystem::path& wedge, const WedgePlan& plan, bool again);

}  // namespace keydrape
