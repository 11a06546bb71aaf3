#pragma once

#include <optional>
#include <vector>

#include "core/mesh/mesh.h"

namespace keydrape {

// Smooth unit normals (3n): the sum of the normals of a vertex's triangles, weighted by area. A vertex whose
// triangles have no area, or that has none, gets (0, 1, 0).
VecX vertex_normals(const std::vector<Triangle>& triangles, const VecX& positions);

// One texture coordinate a vertex; none if the mesh has no UVs, or a vertex on a seam has several.
std::optional<std::vector<Vec2>> uvs_of_vertices(const TriangleMesh& mesh);

}  // namespace keydrape
