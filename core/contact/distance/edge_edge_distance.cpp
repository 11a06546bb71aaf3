#include "core/contact/distance/edge_edge_distance.h"

#include <Eigen/Geometry>
#include <array>
#include <optional>

#include "core/contact/distance/nearest_side.h"

namespace keydrape {

namespace {

constexpr std::array<VertexAndSegment, 4> kEndsAndEdges{{{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}}};
constexpr double kParallel = 1e-20;  // squared sine
constexpr double kShallow = 1e-12;   // below this rounding shows in a cross product
const FeatureFlat kLines{2, Vec4(1, 0, -1, 0), {Vec4(-1, 1, 0, 0), Vec4(0, 0, 1, -1)}};

// D of the lines, if they are nearest to each other within both edges.
std::optional<double> within_both(const Stencil<4>& x) {
  const Vec3 p = x.col(1) - x.col(0), q = x.col(3) - x.col(2), r = x.col(2) - x.col(0);
  const Vec3 normal = p.cross(q);
  const double nn = normal.squaredNorm();
  const double lengths = p.squaredNorm() * q.squaredNorm();
  if (nn <= kParallel * lengths) return std::nullopt;
  const double along_p = normal.dot(r.cross(q)), along_q = normal.dot(r.cross(p));
  if (!(along_p > 0 && along_p < nn && along_q > 0 && along_q < nn)) return std::nullopt;
  if (nn <= kShallow * lengths) return StencilDistance(x, kLines).squared();
  const double across = normal.dot(r);
  return across * across / nn;
}

}  // namespace

StencilDistance edge_edge_distance(const Stencil<4>& x) {
  if (!within_both(x)) return nearest_side(x, kEndsAndEdges).distance(x);
  return StencilDistance(x, kLines);
}

double edge_edge_squared_distance(const Stencil<4>& x) {
  const std::optional<double> of_lines = within_both(x);
  return of_lines ? *of_lines : nearest_side(x, kEndsAndEdges).squared;
}

}  // namespace keydrape
