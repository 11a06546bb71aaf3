#pragma once

#include <array>
#include <vector>

#include "core/mesh/topology.h"

namespace keydrape {

// Corners of a triangle in its own rest plane [m], in the order of its vertices. Two triangles may lie in
// different planes (panels, curved meshes): only lengths are compared across an edge.
using RestCorners = std::array<Vec2, 3>;

// A hinge with both triangles unfolded into one plane: the edge from (0, 0) to (length, 0), `c` the vertex
// opposite to it in triangle a (c.y > 0), `d` that in triangle b (d.y < 0).
struct RestHinge {
  double length;  // [m]
  Vec2 c, d;      // [m]

  double area() const { return 0.5 * length * (c.y() - d.y()); }  // of both triangles [m^2]
};

// Unfolds a hinge. Where the two triangles disagree about the length of their edge (panels sewn with ease),
// the mean holds. Requires triangles of positive area; rest_corners: as many as triangles.
RestHinge unfold(const Hinge& hinge, const std::vector<Triangle>& triangles,
                 const std::vector<RestCorners>& rest_corners);

}  // namespace keydrape
