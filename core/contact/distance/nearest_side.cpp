#include "core/contact/distance/nearest_side.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace keydrape {

StencilDistance NearestSide::distance(const Stencil<4>& x) const {
  // From the second feature to the first, whose vertices come first.
  const double sign = pair.vertex < pair.from ? 1 : -1;
  const int near = share == 1.0 ? pair.to : pair.from;
  FeatureFlat flat{0, sign * (Vec4::Unit(pair.vertex) - Vec4::Unit(near)), {}};
  if (share > 0.0 && share < 1.0) {
    flat.dimension = 1;
    flat.directions[0] = Vec4::Unit(pair.from) - Vec4::Unit(pair.to);
  }
  return StencilDistance(x, flat);
}

NearestSide nearest_side(const Stencil<4>& x, std::span<const VertexAndSegment> pairs) {
  assert(!pairs.empty());
  NearestSide nearest{pairs.front(), 0.0, std::numeric_limits<double>::infinity()};
  for (const VertexAndSegment& pair : pairs) {
    const Vec3 e = x.col(pair.to) - x.col(pair.from), to_vertex = x.col(pair.vertex) - x.col(pair.from);
    const double ee = e.squaredNorm();
    const double share = ee > 0.0 ? std::clamp(to_vertex.dot(e) / ee, 0.0, 1.0) : 0.0;
    const double squared = (to_vertex - share * e).squaredNorm();
    if (squared < nearest.squared) nearest = {pair, share, squared};
  }
  return nearest;
}

}  // namespace keydrape
