#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/mesh/mesh.h"

namespace keydrape {

// Two triangles that share an edge.
//
//            v2            vertices = {v0, v1, v2, v3}: the edge from v0 to v1, then the vertices opposite
//           /  \           to it in triangle a (which runs v0 -> v1) and in triangle b (which runs v1 -> v0
//     v0 --------> v1      if both are oriented alike).
//           \  /
//            v3
struct Hinge {
  std::array<int, 4> vertices;
  int triangle_a;
  int triangle_b;
};

// The smaller vertex first.
inline Edge edge_of(const Hinge& hinge) {
  const auto [a, b] = std::minmax(hinge.vertices[0], hinge.vertices[1]);
  return {a, b};
}

// What follows from the triangles alone. Deterministic: edges ascend by (smaller, larger) vertex.
struct Topology {
  std::vector<Edge> edges;               // each once, smaller vertex first
  std::vector<Hinge> hinges;             // one for each edge with exactly two triangles
  std::vector<Edge> boundary_edges;      // one triangle
  std::vector<Edge> non_manifold_edges;  // three triangles or more
  std::vector<int> flipped_hinges;  // indexes of hinges whose two triangles are oriented against each other
  std::vector<int> loose_vertices;  // used by no triangle
  std::vector<int> component_of_vertex;  // 0 .. component_count - 1; -1 for loose vertices
  int component_count = 0;
  int boundary_loop_count = 0;
};

// Requires every vertex index of `triangles` in [0, vertex_count).
Topology build_topology(const std::vector<Triangle>& triangles, int vertex_count);

// The triangles at each edge, ascending; edges with the smaller vertex first.
std::map<Edge, std::vector<int>> triangles_at_edges(const std::vector<Triangle>& triangles);

// The first reason why `mesh` cannot be cloth, as a sentence that names the vertex, edge or triangle (counted
// from 0) and how to mend it: loose vertex, triangle that repeats a vertex or has zero area, face given
// twice, edge with three triangles or more, triangles turned against each other across an edge, no triangle
// at all, position not finite. Empty: fit to simulate.
std::optional<std::string> find_mesh_defect(const TriangleMesh& mesh, const Topology& topology);

}  // namespace keydrape
