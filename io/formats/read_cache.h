#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/cache/mesh_cache.h"

namespace keydrape {

// What a file of a mesh or cache does not say itself, and what is wanted of it.
struct ReadCacheOptions {
  // Of files that say nothing; .usda says both, and .npy is in metres whatever stands here. An answer for a
  // file that says otherwise is refused.
  std::optional<double> meters_per_unit{};  // default 1
  std::optional<UpAxis> up_axis{};          // default Y
  double fps = 24.0;                        // of files that say nothing; of .mdd the first that is tried
  // The frame of the first sample where the file does not say (.npy, .mdd from 0, a single .obj or .ply).
  int first_frame = 1;
  std::optional<FrameRange> frames{};  // empty: all. A sequence is opened for these only.
  bool keep_uvs = true;
  // Gains one sentence for what was read in a doubtful way, or not at all. May be null.
  std::vector<std::string>* warnings = nullptr;
};

// Opens any format that is read (format.h), and sequences name.####.obj and .ply. In the file's own space.
// Caches of points alone have no triangles (give_mesh adds them). Throws InputError: as the format's own
// reader; for a format that is only written; for frames that the file has not, which are named; for frames
// missing in a sequence.
MeshCache read_cache(const std::filesystem::path& path, const ReadCacheOptions& options = {});

// Takes triangles, texture coordinates, groups and lines from `mesh`. Throws InputError unless it has the
// cache's number of vertices and, where the cache has triangles, the same ones. `name`: of the mesh's
// file, for messages.
void give_mesh(MeshCache& cache, const TriangleMesh& mesh, const std::filesystem::path& cache_name,
               const std::filesystem::path& name);

// One frame of a cache or sequence, as the name says it.
struct FrameChoice {
  enum class Which { kNumber, kFirst, kLast };

  std::filesystem::path file;
  Which which = Which::kNumber;
  int frame = 0;  // of kNumber

  // Among the frames that the file has; of kNumber it may be none of them.
  int frame_of(const FrameRange& frames) const;
};

// "cache.pc2@1030" is frame 1030 of cache.pc2, "cache.pc2@last" its last one, "@first" its first. None if
// there is a file of the whole name, or no @ with such a thing behind it.
std::optional<FrameChoice> split_frame(const std::filesystem::path& path);

}  // namespace keydrape
