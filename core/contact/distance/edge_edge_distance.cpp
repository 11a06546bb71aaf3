#include "core/contact/distance/edge_edge_distance.h"

#include <Eigen/Geometry>
#include <array>

#include "core/contact/distance/nearest_side.h"

namespace keydrape {

namespace {

constexpr std::array<VertexAndSegment, 4> kSides{{{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}}};
constexpr double kParallel = 1e-20;  // squared sine

// Whether the lines are nearest to each other within both edges.
bool is_within_both(const Stencil<4>& x) {
  const Vec3 p = x.col(1) - x.col(0), q = x.col(3) - x.col(2), r = x.col(2) - x.col(0);
  const Vec3 normal = p.cross(q);
  const double nn = normal.squaredNorm();
  if (nn <= kParallel * p.squaredNorm() * q.squaredNorm()) return false;
  const double along_p = normal.dot(r.cross(q)), along_q = normal.dot(r.cross(p));
  return along_p > 0 && along_p < nn && along_q > 0 && along_q < nn;
}

}  // namespace

StencilDistance edge_edge_distance(const Stencil<4>& x) {
  if (!is_within_both(x)) return nearest_side(x, kSides);
  return StencilDistance(x, {2, Vec4(1, 0, -1, 0), {Vec4(-1, 1, 0, 0), Vec4(0, 0, 1, -1)}});
}

}  // namespace keydrape
