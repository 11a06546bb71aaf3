#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/cache/mesh_cache.h"

// Stanford PLY. One file is one frame.
//
// Read: format ascii, binary_little_endian and binary_big_endian, 1.0.
//   element vertex   scalar properties x, y, z of any numeric type. Others become fields: a_x, a_y, a_z make
//                    a vector a unless there is an a, the rest are scalars; colours (red, green,
//                    blue, alpha), normals (nx, ny, nz) and lists are dropped. The pairs s and t (Blender),
//                    u and v, texture_u and texture_v (MeshLab) are texture coordinates; one alone is none.
//   element face     a list vertex_indices or vertex_index of whole numbers; n corners make the fan of
//                    corner 1, as in obj.h. A list texcoord, u and v of each corner (MeshLab), goes before
//                    those of vertices; it is empty in no face, or in all. Other properties are dropped.
//   other elements   are dropped; tristrips are refused.
// What is dropped is checked all the same. One and the same texture coordinate in every corner is dropped
// with a warning, and faces that are not convex or given twice bring one, as in obj.h.
//
// Written: binary little endian, float, fields of vertices and of triangles, but those whose name PLY or a
// vector among them has for something else (ply_has_place); neither texture coordinates nor groups.

namespace keydrape {

struct PlyOptions {
  int frame = 1;  // the number of the file's one frame
  // false: texture coordinates are checked but not kept, and some faces may lack them.
  bool keep_uvs = true;
  // Gains one sentence for whatever was read in a doubtful way. May be null.
  std::vector<std::string>* warnings = nullptr;
};

// One frame, as the file has it: space and frame rate are not said. Throws InputError, which names line and
// column in the header and in ASCII, element and property in binary: whatever is not as above, an index out
// of range, a corner twice in a face, a number that is not finite, an end too early or too late, no vertex.
MeshCache read_ply(const std::filesystem::path& path, const PlyOptions& options = {});

// Whether a file can have this one of the fields: no number of it is called as what PLY has another meaning
// for, such as the position's x and the texture coordinate's u, nor a scalar a_x as a number of the vector a.
bool ply_has_place(const FieldHeader& field, const std::vector<FieldHeader>& fields);

// Throws OutputError. Fields without a place are left out.
void write_ply(const std::filesystem::path& path, const CacheHeader& header, const CacheFrame& frame,
               int frame_number);

}  // namespace keydrape
