#pragma once

#include <optional>
#include <string_view>

#include "io/cache/mesh_cache.h"
#include "io/scene/scene.h"
#include "io/shot/input/mesh.h"

namespace keydrape {

// What of a cache is wanted.
enum class CacheFrames {
  kOne,   // a pose: the frame behind the @, or the only one
  kShot,  // motion over the frames that are given
  kAll,   // the frame behind the @, or every frame that there is
};

struct CacheRequest {
  std::string_view role;  // "[[pin]] motion", for messages
  CacheFrames kind = CacheFrames::kOne;
  FrameRange frames{};  // of kShot
  // Of kShot: the frame of the first sample of caches that do not number theirs; none: the first of `frames`.
  std::optional<int> first_sample{};
  // Of kShot: the frame by which caches that number theirs have to begin; of `frames` before it, what is
  // there is read. None: the first of `frames`.
  std::optional<int> needed_from{};
  bool keep_uvs = false;
};

// Opens any format that is read (io/formats/format.h) in metres and with the scene's axis up, where
// everything else is computed: the one edge where units and axes are converted. Files that say their unit
// and axes (.usda) or have fixed ones (.npy: metres) are taken by their word, all others by [shot]
// meters_per_unit and up_axis. Frames: sequences and .usda go by their numbers; of other caches the first
// sample is the shot's first frame, except that "name.pc2@1030" goes by the start that a PC2 file says, and
// "name.mdd@1030" by times that do not begin with 0. Throws InputError: as read_cache; for a cache of
// several frames without @ where one is wanted; for an @ where motion is; for fewer samples than the
// request has frames, or none of a frame that is needed.
MeshCache read_shot_cache(const Scene& scene, const scene::FilePath& file, const CacheRequest& request,
                          ShotWarnings& warnings);

}  // namespace keydrape
