#pragma once

#include <string>
#include <vector>

#include "core/cloth/cloth.h"
#include "io/scene/scene.h"
#include "io/shot/input/mesh.h"

// Cloth of several parts, some of which nothing holds.

namespace keydrape {

struct UnheldParts {
  int part_count = 0;  // of all
  // Those without a held vertex, the largest first; vertices ascending.
  std::vector<std::vector<int>> loose;
};
// Vertices are of one part where triangles or joints, pairs that hold each other beside them, join them.
// `held`: whether a vertex is (n).
UnheldParts find_loose_parts(const TriangleMesh& mesh, const std::vector<Edge>& joints,
                            const std::vector<char>& held);

// "2 of 3 parts: one of 341 vertices (highest: vertex 12 (group edge2)), one of 300 vertices (highest: vertex
// 700)": where they would be pinned. `x`: positions (3n), `up`: the axis. Requires a loose part.
std::string loose_in_words(const TriangleMesh& mesh, const UnheldParts& parts, const VecX& x, int up);

// Warns where pins hold some parts at some time and others never, and these have no body beside or below
// them that would catch them. Cloth without any pin is meant to fall.
void warn_of_loose_parts(const Scene& scene, const ClothDescription& cloth, const VecX& start,
                         ShotWarnings& warnings);

}  // namespace keydrape
