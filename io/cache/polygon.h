#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/mesh/mesh.h"

// What is doubtful about the faces of a file, beyond their triangles.

namespace keydrape {

// The fan of triangles that a face became.
struct PolygonFan {
  int first_triangle;
  int triangle_count;  // >= 1
};

// The first whose triangles are turned against each other, side by side in the fan: it is not convex.
std::optional<std::size_t> find_folded_face(const std::vector<PolygonFan>& faces, const TriangleMesh& mesh);
// What to say of it, behind the words for the face.
inline constexpr const char* kFoldedFace =
    "is not convex, and its triangles overlap (so may those of later faces): triangulate the mesh before the "
    "export";

// A face with the corners of an earlier one, whatever corner it begins with and whichever way it runs.
struct RepeatedFace {
  std::size_t face, first;
  int count;  // such faces in all
};
std::optional<RepeatedFace> find_repeated_face(const std::vector<PolygonFan>& faces,
                                               const TriangleMesh& mesh);

// A sentence for each of the two, of a file whose faces are known by their numbers.
std::vector<std::string> doubts_of_faces(const std::vector<PolygonFan>& faces, const TriangleMesh& mesh);

}  // namespace keydrape
