#pragma once

#include <filesystem>
#include <memory>

#include "io/cache/cache_writer.h"

// Binary glTF 2.0 (Khronos): the first frame as a mesh with smooth normals, every later one as a morph
// target (differences of positions and normals), and an animation of their weights that is linear
// between the frames.
//   header, JSON chunk (padded with blanks: its bounds are known only at the end), binary chunk:
//   indices | texture coordinates | times | weights | frames, each positions then normals
// Texture coordinates are written where every vertex has one; a seam would split vertices.

namespace keydrape {

// Requires triangles and the space that the format has: metres, Y up. Throws OutputError; also for more than
// the 4 GiB that a .glb can hold.
std::unique_ptr<CacheWriter> open_glb_writer(const std::filesystem::path& path, const CacheHeader& header);

}  // namespace keydrape
