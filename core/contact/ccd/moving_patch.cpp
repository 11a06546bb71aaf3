#include "core/contact/ccd/moving_patch.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace keydrape {

namespace {

// w without its component along e. Twice, since what is left of a long e in a short w would count |e|-fold.
Vec3 rejection(Vec3 w, const Vec3& e, double ee) {
  w -= (w.dot(e) / ee) * e;
  w -= (w.dot(e) / ee) * e;
  return w;
}

// From the origin to the nearest point of the segment g0 g1.
Vec3 to_segment(const Vec3& g0, const Vec3& g1) {
  const Vec3 e = g1 - g0;
  const double ee = e.squaredNorm(), along = -g0.dot(e);
  if (!(along > 0)) return g0;
  if (!(along < ee)) return g1;
  return rejection(g0, e, ee);
}

// Perpendicular to p and q to within the rounding of p and q, even where they are almost parallel: there the
// cross product p x q is all rounding.
Vec3 plane_normal(const Vec3& p, const Vec3& q) { return p.cross(rejection(q, p, p.squaredNorm())); }

template <int K>
Witness measure(const MovingPatch<K>& patch, double t, double limit, const Vec3& w) {
  const double length = w.norm();
  if (!(length > 0)) return {};
  Witness witness{w / length, std::numeric_limits<double>::infinity(), 1.0};
  for (int j = 0; j < K; ++j) {
    const double at_0 = witness.direction.dot(patch.start.col(j));
    const double at_1 = witness.direction.dot(patch.end.col(j));
    witness.margin = std::min((1 - t) * at_0 + t * at_1, witness.margin);
    if (!(at_1 >= limit)) witness.reach = std::min((at_0 - limit) / (at_0 - at_1), witness.reach);
  }
  return witness;
}

}  // namespace

template <int K>
double MovingPatch<K>::size() const {
  return std::sqrt(
      std::max(start.colwise().squaredNorm().maxCoeff(), end.colwise().squaredNorm().maxCoeff()));
}

template <int K>
Witnesses find_witnesses(const MovingPatch<K>& patch, double t, double limit) {
  Witnesses best;
  const auto consider = [&](const Vec3& w) {
    const Witness witness = measure(patch, t, limit, w);
    if (witness.margin > best.nearest.margin) best.nearest = witness;
    if (witness.margin > limit && witness.reach > best.furthest.reach) best.furthest = witness;
  };
  const Stencil<K> g = patch.at(t);
  for (int j = 0; j < K; ++j) consider(to_segment(g.col(j), g.col((j + 1) % K)));
  const Vec3 normal = plane_normal(g.col(1) - g.col(0), g.col(2) - g.col(1));
  consider(normal.dot(g.col(0)) < 0 ? Vec3(-normal) : normal);
  return best;
}

template struct MovingPatch<3>;
template struct MovingPatch<4>;
template Witnesses find_witnesses(const MovingPatch<3>&, double, double);
template Witnesses find_witnesses(const MovingPatch<4>&, double, double);

}  // namespace keydrape
