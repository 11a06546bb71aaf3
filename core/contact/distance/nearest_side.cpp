#include "core/contact/distance/nearest_side.h"

#include <cassert>
#include <optional>

namespace keydrape {

namespace {

StencilDistance vertex_segment_distance(const Stencil<4>& x, const VertexAndSegment& pair) {
  const Vec3 e = x.col(pair.to) - x.col(pair.from), to_vertex = x.col(pair.vertex) - x.col(pair.from);
  const double along = to_vertex.dot(e), ee = e.squaredNorm();
  const bool is_at_end = along >= ee && ee > 0;
  // From the second feature to the first, whose vertices come first.
  const double sign = pair.vertex < pair.from ? 1 : -1;
  FeatureFlat flat{0, sign * (Vec4::Unit(pair.vertex) - Vec4::Unit(is_at_end ? pair.to : pair.from)), {}};
  if (along > 0 && along < ee) {
    flat.dimension = 1;
    flat.directions[0] = Vec4::Unit(pair.from) - Vec4::Unit(pair.to);
  }
  return StencilDistance(x, flat);
}

}  // namespace

StencilDistance nearest_side(const Stencil<4>& x, std::span<const VertexAndSegment> pairs) {
  assert(!pairs.empty());
  std::optional<StencilDistance> best;
  for (const VertexAndSegment& pair : pairs) {
    const StencilDistance distance = vertex_segment_distance(x, pair);
    if (!best || distance.squared() < best->squared()) best = distance;
  }
  return *best;
}

}  // namespace keydrape
