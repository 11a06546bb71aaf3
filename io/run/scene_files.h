#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/scene/scene.h"

namespace keydrape {

// A file that a scene reads.
struct SceneFile {
  std::string key;             // that names it, "[control] relative_to"
  std::filesystem::path path;  // of "cache.pc2@1030" the cache, of a sequence its pattern
  SourcePosition source;
  std::filesystem::path named;  // with the frame that is chosen: "cache.pc2@1030"
};

// All of them: the scene's own file (key "the scene itself"), those that its keys name, and what belongs to
// the take of relative_to.
std::vector<SceneFile> scene_files(const Scene& scene);

// Throws InputError, which names the key, where a run that leaves its results in `folder` would remove or
// write over one of them. To be asked before the folder is touched.
void refuse_to_replace_inputs(const Scene& scene, const std::filesystem::path& folder);

}  // namespace keydrape
