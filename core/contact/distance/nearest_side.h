#pragma once

#include <span>

#include "core/contact/distance/stencil_distance.h"

namespace keydrape {

// A vertex and the ends of a segment, by their places in a stencil.
struct VertexAndSegment {
  int vertex, from, to;
};

// The distance of that pair which is nearest; of equally near ones the first. Its nearest point may be an
// inner one of the segment or an end. Vertices of the first feature come first in a stencil. Requires at
// least one pair.
StencilDistance nearest_side(const Stencil<4>& x, std::span<const VertexAndSegment> pairs);

}  // namespace keydrape
