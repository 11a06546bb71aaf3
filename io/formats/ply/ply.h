#pragma once

#include <filesystem>

#include "io/cache/mesh_cache.h"

// Stanford PLY. One file is one frame.
//
// Read: format ascii, binary_little_endian and binary_big_endian, 1.0.
//   element vertex   scalar properties x, y, z of any numeric type. Others become fields: a_x, a_y, a_z make
//                    a vector a unless there is an a, the rest are scalars; colours (red, green,
//                    blue, alpha), texture coordinates (s, t, u, v, texture_u, texture_v), normals (nx, ny,
//                    nz) and lists are dropped.
//   element face     a list vertex_indices or vertex_index of whole numbers; n corners make the fan of
//                    corner 1, as in obj.h. Other properties are dropped.
//   other elements   are dropped; tristrips are refused.
// What is dropped is checked all the same.
//
// Written: binary little endian, float, fields of vertices and of triangles; neither texture
// coordinates nor groups.

namespace keydrape {

// One frame, numbered `frame`, as the file has it: space and frame rate are not said. Throws InputError,
// which names line and column in the header and in ASCII, element and property in binary: whatever is not as
// above, an index out of range, a corner twice in a face, a number that is not finite, an end that comes too
// early or too late, no vertex.
MeshCache read_ply(const std::filesystem::path& path, int frame = 1);

// Throws OutputError.
void write_ply(const std::filesystem::path& path, const CacheHeader& header, const CacheFrame& frame,
               int frame_number);

}  // namespace keydrape
