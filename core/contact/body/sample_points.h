#pragma once

#include <array>
#include <vector>

#include "core/base/types.h"

namespace keydrape {

// A point that moves with cloth: x = sum_c weights[c] x[vertices[c]] over the first `count`.
struct SamplePoint {
  std::array<int, 3> vertices;  // those behind `count` repeat the first
  Vec3 weights;                 // >= 0, sum 1; 0 behind `count`
  int count;                    // 1: a vertex, 2: on an edge, 3: inside of a triangle
  double area;                  // its share of the rest mesh [m^2]

  Vec3 position(const VecX& x) const;  // x: 3n [m]
};

// Points at which cloth is held off bodies, so that triangles respect them and not only vertices: every
// vertex that a triangle has, then points on edges, then points inside of triangles, each once.
//
// A triangle whose longest edge is l is covered by its lattice of n = ceil(l / spacing) intervals, an edge by
// the finer one of its triangles'. Neighbouring points are then at most `spacing` apart, and the largest
// empty circle has a radius of at most spacing/sqrt(3). Between points that lie outside of a body a flat
// triangle sinks, at most (S12),
//
//   over a sharp edge of 90 degrees    spacing/2
//   over the corner of a cube          0.82 spacing
//   over a ball of radius r            spacing^2/(6 r)
//
// Hence spacing = voxel keeps edges within half a voxel, and spacing = 2 d keeps them out of a body when the
// points stay d off it. Strain stretches the spacing with the cloth.
//
// Requires spacing > 0 [m], infinite for the vertices alone.
std::vector<SamplePoint> sample_points(const std::vector<Vec3>& rest, const std::vector<Triangle>& triangles,
                                       double spacing);

// No fewer than sample_points makes, at any spacing > 0; counted, not made.
double sample_point_bound(const std::vector<Vec3>& rest, const std::vector<Triangle>& triangles,
                          double spacing);

}  // namespace keydrape
