#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/mesh/mesh.h"

// Wavefront OBJ.
//
// The reader is strict. It refuses what it does not understand, with
// "path:line:column: found; expected; remedy".
//   v x y z [w | r g b]   a position; w and colours are checked and dropped
//   vt u [v [w]]          a texture coordinate; w is dropped
//   vn x y z              checked and dropped
//   f                     v, v/vt, v//vn or v/vt/vn, from 1 or negative (relative to the last one read);
//                         n corners make the fan of corner 1: {1,2,3}, {1,3,4}, ... It depends on no
//                         position, so that every pose of a mesh has the same triangles. A face that is not
//                         convex brings a warning.
//   l                     a polyline: one line for each two neighbours; of a single vertex it is left out,
//                         with a warning, beside faces
//   vp                    likewise: what curves of another object leave behind
//   p                     points: they only join vertices to groups
//   g, o                  begin a group: the vertices of the elements that follow. `g a b` begins two; `g`
//                         alone, `g off` (Blender's, for faces of none) and the name `default` (Maya's, for
//                         everything; of `o` as well) begin none. An `o` lasts until the next `o`.
//   s usemtl mtllib ...   materials, smoothing and display are skipped
// Words that are split over lines by '\', comments, CRLF and a byte-order mark are fine in any place.
//
// Either all faces have texture coordinates or none. Two slips of common exporters are taken with a warning:
// one and the same texture coordinate in every corner (MeshLab's for "none"), which is dropped; and the tail
// of a comment that something has wrapped into a line of its own, if it directly follows a comment and holds
// more than numbers.

namespace keydrape {

struct ObjOptions {
  // false: texture coordinates are checked but not kept, and some faces may lack them (bodies, keyframes).
  bool keep_uvs = true;
  // Gains one sentence, with the place, for whatever was read in a doubtful way. May be null.
  std::vector<std::string>* warnings = nullptr;
};

// Vertices keep their order, vertices in no face stay (`find_mesh_defect` reports them). Throws InputError;
// for a file of more than kMaxTextBytes and for one without any vertex too.
TriangleMesh read_obj(const std::filesystem::path& path, const ObjOptions& options = {});

// Writes positions, texture coordinates, lines, triangles and groups, whole or not at all; reading it gives
// the same mesh, bit by bit. OBJ groups are made of elements, ours of vertices: a face is written under the
// groups that hold all its corners, and vertices of a group that this leaves out as points (`p`) after the
// faces. Requires indexes in range, and group names as they come from a reader (no blanks, no '#' in front).
// Throws OutputError; for a coordinate that is not finite too.
void write_obj(const std::filesystem::path& path, const TriangleMesh& mesh);

}  // namespace keydrape
