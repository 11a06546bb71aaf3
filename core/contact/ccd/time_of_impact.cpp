#include "core/contact/ccd/time_of_impact.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/contact/ccd/moving_patch.h"

namespace keydrape {

namespace {

constexpr double kUnitRoundoff = 0x1p-53;

// Bound on what rounding can do to n . g, over the size of g and the length of n. Counted in roundoffs: 1 for
// g, the difference of two positions; 7 for n . g at some time; 8 for its speed; 15 for the turn of n; 24 for
// solving (G11), as the backward error of its coefficients; 4 for |n| = 1; 4 for the weights of (G12).
constexpr double kRounding = 64 * kUnitRoundoff;

// The smallest number that a limit is ever set to, far above what underflow in a product can lose [m].
constexpr double kTiny = 0x1p-1000;

// The distances that the search has to prove [m].
struct Limits {
  double free;  // that nothing touches
  double safe;  // that nothing touches after the cut step has been rounded, with something to spare
};

// (G13), (G14)
Limits limits(const StencilMotion& motion, double size, double minimum_distance) {
  const double rounding = kRounding * (size + minimum_distance) + kTiny;
  // What rounding does to a coordinate of start + s p, where end is start + p, rounded as well.
  const Vec3 error = kUnitRoundoff * (2 * motion.start.cwiseAbs().rowwise().maxCoeff() +
                                      4 * (motion.end - motion.start).cwiseAbs().rowwise().maxCoeff());
  const double cut = 2 * error.norm();  // both features
  return {minimum_distance + rounding, minimum_distance + 3 * rounding + cut};
}

// Whether the coordinates alone keep the patch away from the origin during the whole of [0, 1].
template <int K>
bool is_separated_by_axis(const MovingPatch<K>& patch, double limit) {
  const Vec3 low = patch.start.rowwise().minCoeff().cwiseMin(patch.end.rowwise().minCoeff());
  const Vec3 high = patch.start.rowwise().maxCoeff().cwiseMax(patch.end.rowwise().maxCoeff());
  return low.maxCoeff() > limit || high.minCoeff() < -limit;
}

// Whether the direction n(t) of degree 2 in time with the control points `n` (each of length 1 at most) keeps
// n . g over the limit while g moves from `from` to `to` (G12).
template <int K>
bool is_separated_by(const std::array<Vec3, 3>& n, const Stencil<K>& from, const Stencil<K>& to,
                     double limit) {
  for (int j = 0; j < K; ++j) {
    const Vec3 a = from.col(j), b = to.col(j);
    const bool over = n[0].dot(a) > limit && n[2].dot(b) > limit &&
                      2 * n[1].dot(a) + n[0].dot(b) > 3 * limit && n[2].dot(a) + 2 * n[1].dot(b) > 3 * limit;
    if (!over) return false;
  }
  return true;
}

// The normal of the patch as it moves from `from` to `to`, scaled, turned away from the origin.
template <int K>
std::array<Vec3, 3> moving_normal(const Stencil<K>& from, const Stencil<K>& to) {
  const Vec3 p0 = from.col(1) - from.col(0), q0 = from.col(2) - from.col(1);
  const Vec3 p1 = to.col(1) - to.col(0), q1 = to.col(2) - to.col(1);
  std::array<Vec3, 3> n{p0.cross(q0), 0.5 * (p0.cross(q1) + p1.cross(q0)), p1.cross(q1)};
  const double longest = std::sqrt(std::max({n[0].squaredNorm(), n[1].squaredNorm(), n[2].squaredNorm()}));
  const double scale = (n[0].dot(from.col(0)) < 0 ? -1 : 1) / longest;
  for (Vec3& control : n) control *= scale;
  return n;
}

// Whether a turning direction proves the interval [t, until]; `now` is the witness at t.
template <int K>
bool is_free_between(const MovingPatch<K>& patch, const Witness& now, double t, double until, double limit) {
  const Witness then = find_separation(patch, until, limit).nearest;
  if (!(then.margin > limit)) return false;
  const Stencil<K> from = patch.at(t), to = patch.at(until);
  const Vec3& n0 = now.direction;
  const Vec3& n1 = then.direction;
  return is_separated_by<K>({n0, 0.5 * (n0 + n1), n1}, from, to, limit) ||
         is_separated_by<K>(moving_normal<K>(from, to), from, to, limit);
}

// Advances from time t, before which all is proven, to where the limit stops it (G11). Newton's steps towards
// an impact divide the margin at each; where they do not, the features may be moving along each other, and a
// whole interval is tried (G12).
template <int K>
double proven_until(const MovingPatch<K>& patch, double t, double limit, int max_iterations) {
  double stride = 1, last_margin = std::numeric_limits<double>::infinity();
  for (int i = 0; i < max_iterations; ++i) {
    const Separation now = find_separation(patch, t, limit);
    if (!(now.reach > t)) return t;
    if (now.reach >= 1) return 1;
    double next = now.reach;
    const double margin = now.nearest.margin - limit;
    if (margin > 0.5 * last_margin) {
      stride = std::max(stride, 2 * (now.reach - t));
      const double until = std::min(1.0, t + stride);
      const bool is_free = is_free_between(patch, now.nearest, t, until, limit);
      if (is_free) next = until;
      stride *= is_free ? 2 : 0.25;
    }
    if (next >= 1) return 1;
    last_margin = margin;
    t = next;
  }
  return t;
}

template <int K>
double time_of_impact(const StencilMotion& motion, const MovingPatch<K>& patch, double minimum_distance,
                      int max_iterations) {
  if (!motion.start.allFinite() || !motion.end.allFinite()) return 0;
  const Limits limit = limits(motion, patch.size(), minimum_distance);
  if (is_separated_by_axis(patch, limit.free)) return kNoImpact;
  const double safe = proven_until(patch, 0.0, limit.safe, max_iterations);
  if (safe >= 1 || proven_until(patch, safe, limit.free, max_iterations) >= 1) return kNoImpact;
  return safe;
}

Stencil<3> vertex_to_face(const Stencil<4>& x) { return x.col(0).replicate<1, 3>() - x.rightCols<3>(); }

Stencil<4> edge_to_edge(const Stencil<4>& x) {
  Stencil<4> g;
  g << x.col(0) - x.col(2), x.col(1) - x.col(2), x.col(1) - x.col(3), x.col(0) - x.col(3);
  return g;
}

}  // namespace

double vertex_face_time_of_impact(const StencilMotion& motion, double minimum_distance, int max_iterations) {
  const MovingPatch<3> patch{vertex_to_face(motion.start), vertex_to_face(motion.end)};
  return time_of_impact(motion, patch, minimum_distance, max_iterations);
}

double edge_edge_time_of_impact(const StencilMotion& motion, double minimum_distance, int max_iterations) {
  const MovingPatch<4> patch{edge_to_edge(motion.start), edge_to_edge(motion.end)};
  return time_of_impact(motion, patch, minimum_distance, max_iterations);
}

}  // namespace keydrape
