#pragma once

#include <vector>

#include "core/mesh/mesh.h"
#include "io/scene/scene.h"

namespace keydrape {

// Some vertices of the cloth and how much each of them counts.
struct VertexSelection {
  std::vector<int> vertices;    // ascending, at least one
  std::vector<double> weights;  // in (0, 1], one a vertex
};

VertexSelection select_all(const TriangleMesh& mesh);
// Throws InputError for a vertex that the mesh does not have; `vertices` ascends.
VertexSelection select_listed(const TriangleMesh& mesh, const Sourced<std::vector<int>>& vertices);
// Throws InputError for a group that does not exist or is empty.
VertexSelection select_group(const TriangleMesh& mesh, const scene::Group& group);
// The vertices with a weight above zero. Throws InputError as read_vertex_weights does, and if there is none.
VertexSelection select_painted(const TriangleMesh& mesh, const scene::FilePath& weights);
// For tables that have either key or none: none selects everything.
VertexSelection select_group_or_painted(const TriangleMesh& mesh, const std::optional<scene::Group>& group,
                                        const std::optional<scene::FilePath>& weights);

// The same weights for every vertex of the mesh, 0 where not selected (n).
VecX dense_weights(const VertexSelection& selection, int vertex_count);

}  // namespace keydrape
