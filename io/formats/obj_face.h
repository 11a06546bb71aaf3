#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "core/mesh/mesh.h"

// What is doubtful about the faces of an OBJ file, beyond their triangles.

namespace keydrape {

// A face, and the fan of triangles that it became.
struct ObjFace {
  std::string_view keyword;  // its place in the text
  int first_triangle;
  int triangle_count;  // >= 1
};

// The first whose triangles are turned against each other, side by side in the fan: it is not convex.
std::optional<std::size_t> find_folded_face(const std::vector<ObjFace>& faces, const TriangleMesh& mesh);

// A face with the corners of an earlier one, whatever corner it begins with and whichever way it runs.
struct RepeatedFace {
  std::size_t face, first;
  int count;  // such faces in all
};
std::optional<RepeatedFace> find_repeated_face(const std::vector<ObjFace>& faces, const TriangleMesh& mesh);

}  // namespace keydrape
