#pragma once

#include <span>

#include "core/contact/distance/stencil_distance.h"

namespace keydrape {

// A vertex and the ends of a segment, by their places in a stencil.
struct VertexAndSegment {
  int vertex, from, to;
};

// A pair whose vertex is nearest to the point from + share (to - from) of its segment, share in [0, 1].
struct NearestSide {
  VertexAndSegment pair;
  double share;
  double squared;  // distance [m^2]

  // Its distance with all that follows from it. Vertices of the first feature come first in a stencil.
  StencilDistance distance(const Stencil<4>& x) const;
};

// That pair which is nearest; of equally near ones the first. Requires at least one pair.
NearestSide nearest_side(const Stencil<4>& x, std::span<const VertexAndSegment> pairs);

}  // namespace keydrape
