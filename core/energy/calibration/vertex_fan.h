#pragma once

#include <vector>

#include "core/mesh/rest_hinge.h"

namespace keydrape {

// A vertex's rest triangles laid side by side in one plane: its tangent plane. Around an inner vertex their
// angles are scaled to fill 2 pi.
struct VertexFan {
  struct Spoke {
    int vertex;        // at the other end of the edge
    double direction;  // counter-clockwise from the first spoke [rad]
  };

  std::vector<Spoke> spokes;  // each neighbour once; empty: a loose vertex
  bool closed = false;        // one full turn: an inner vertex
  double area = 0.0;          // a third of the triangles [m^2]

  // Requires a neighbour.
  double direction(int neighbour) const;
};

// One fan for each vertex up to the largest that a triangle uses. Requires triangles oriented alike. Where
// several fans meet in one vertex, they are laid one after the other.
std::vector<VertexFan> lay_out_fans(const std::vector<Triangle>& triangles,
                                    const std::vector<RestCorners>& rest_corners);

}  // namespace keydrape
