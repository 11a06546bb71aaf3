#include "core/inspect/crossing_pull.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "core/mesh/topology.h"

namespace keydrape {

namespace {

constexpr double kSteepest = 4.0;  // bound on (R2): where an edge lies along the face it grows without

}  // namespace

CrossingPulls::CrossingPulls(const std::vector<Triangle>& triangles)
    : triangles_(triangles), faces_of_edge_(triangles_at_edges(triangles)) {}

std::optional<CrossingPull> CrossingPulls::of(const EdgeThroughFace& crossing, const VecX& x) const {
  const auto at = [&x](int v) -> Vec3 { return x.segment<3>(3 * v); };
  const Triangle& f = triangles_[crossing.face];
  const Vec3 a = at(crossing.edge[0]), b = at(crossing.edge[1]), e = (b - a).normalized();
  const Vec3 normal = (at(f[1]) - at(f[0])).cross(at(f[2]) - at(f[0]));
  const Vec3 n = normal.normalized();
  const double t = (at(f[0]) - a).dot(n) / (b - a).dot(n);
  const Vec3 p = a + t * (b - a);
  Vec3 way = Vec3::Zero();
  for (const int side : faces_of_edge_.at(crossing.edge)) {
    const Triangle& s = triangles_[side];
    const int opposite = *std::find_if(s.begin(), s.end(),
                                       [&](int v) { return v != crossing.edge[0] && v != crossing.edge[1]; });
    const Vec3 inward = (at(opposite) - p) - e.dot(at(opposite) - p) * e;
    Vec3 r = n.cross(e.cross(inward)).normalized();
    if (r.dot(inward) < 0.0) r = -r;
    way += r - 2 * e.dot(r) / n.dot(e) * n;
  }
  if (!way.allFinite()) return std::nullopt;
  if (way.norm() > kSteepest) way *= kSteepest / way.norm();
  const double area2 = normal.squaredNorm();
  const auto share = [&](int i) {
    return (at(f[(i + 1) % 3]) - p).cross(at(f[(i + 2) % 3]) - p).dot(normal) / area2;
  };
  CrossingPull pull{{crossing.edge[0], crossing.edge[1], f[0], f[1], f[2]}, {}, way};
  pull.weights << 1 - t, t, -share(0), -share(1), -share(2);
  return pull;
}

}  // namespace keydrape
