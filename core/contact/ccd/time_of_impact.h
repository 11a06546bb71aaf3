#pragma once

#include <limits>

#include "core/base/types.h"

namespace keydrape {

// Four vertices that move on straight lines, at constant speed, from `start` at time 0 to `end` at time 1:
//   vertex-face: the vertex, then the three of the face      edge-edge: the two ends of each edge
struct StencilMotion {
  Stencil<4> start;  // [m]
  Stencil<4> end;    // [m]
};

// What a query without contact returns.
inline constexpr double kNoImpact = std::numeric_limits<double>::infinity();

// Steps of the search in time, each one distance or two. Reaching it is safe: what was proven so far is
// returned. 99 % of the queries of every family in tests/oracles/ccd take fewer than 50, but for those that
// stay within 2^-40 of a turning face all the time: 260.
inline constexpr int kMaxImpactIterations = 256;

// Continuous collision detection: a time up to which the two features are proven to stay further apart than
// `minimum_distance` [m], rounding included; kNoImpact where that is proven for the whole of [0, 1].
//
// - Never a miss: what comes to within minimum_distance, at time 0 and 1 included, gets a time <= 1.
// - Never late: the time returned is before the first time of that distance; 0 where the start is too near
//   to tell, nearer than minimum_distance plus the margin (G14).
// - A cut step tested again is free: from start to the rounded start + s (end - start), or start + s p where
//   end is start + p, for any s up to a positive time returned.
// - A false alarm needs an approach to within 2^-45 of the size of the query (the largest distance of a
//   vertex of one feature from one of the other), or max_iterations reached.
//
// A solver that wants to keep a share of its gap asks for it:  minimum_distance = xi + 0.1 (d - xi).
// Degenerate faces and edges, parallel edges and motion in one plane are no special cases. Positions that are
// not finite count as contact at time 0. Method: core/contact/EQUATIONS.md (G9) to (G14).
double vertex_face_time_of_impact(const StencilMotion& motion, double minimum_distance = 0,
                                  int max_iterations = kMaxImpactIterations);
double edge_edge_time_of_impact(const StencilMotion& motion, double minimum_distance = 0,
                                int max_iterations = kMaxImpactIterations);

}  // namespace keydrape
