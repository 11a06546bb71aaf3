#include "core/contact/ccd/moving_patch.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

namespace keydrape {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A direction of separation and how it turns with what it is perpendicular to: n . s = 0 stays true to first
// order for every side s that spans the nearest feature.
struct Direction {
  Vec3 n;      // unit
  Vec3 dn_dt;  // perpendicular to n
};

// w without its component along e. Twice, since what is left of a long e in a short w would count |e|-fold.
Vec3 rejection(Vec3 w, const Vec3& e, double ee) {
  w -= (w.dot(e) / ee) * e;
  w -= (w.dot(e) / ee) * e;
  return w;
}

// From the origin to the nearest point of the side from g0 to g1, which change at the rates v0 and v1.
Direction towards_side(const Vec3& g0, const Vec3& g1, const Vec3& v0, const Vec3& v1) {
  const Vec3 e = g1 - g0;
  const double ee = e.squaredNorm(), along = -g0.dot(e);
  if (!(along > 0)) return {g0.normalized(), Vec3::Zero()};
  if (!(along < ee)) return {g1.normalized(), Vec3::Zero()};
  const Vec3 n = rejection(g0, e, ee).normalized();
  return {n, (-n.dot(v1 - v0) / ee) * e};
}

// Perpendicular to p and q to within the rounding of p and q, even where they are almost parallel (there the
// cross product p x q is all rounding), on the side of `outside`. They change at the rates v_p and v_q.
Direction normal_direction(const Vec3& p, const Vec3& q, const Vec3& v_p, const Vec3& v_q,
                           const Vec3& outside) {
  const double pp = p.squaredNorm();
  const Vec3 r = rejection(q, p, pp);
  Vec3 n = p.cross(r).normalized();
  if (n.dot(outside) < 0) n = -n;
  const double along_p = -n.dot(v_p) / pp;
  const double along_r = (-n.dot(v_q) - along_p * p.dot(q)) / r.squaredNorm();
  return {n, along_p * p + along_r * r};
}

// The first time s > 0 at which c + b s + a s^2 falls to 0, for c > 0. 0 where overflow leaves it unknown.
double first_fall(double a, double b, double c) {
  const double discriminant = b * b - 4 * a * c;
  if (discriminant < 0) return kInfinity;
  const double denominator = -b + std::sqrt(discriminant);
  if (denominator <= 0) return kInfinity;
  return denominator > 0 ? 2 * c / denominator : 0.0;
}

}  // namespace

template <int K>
double MovingPatch<K>::size() const {
  return std::sqrt(
      std::max(start.colwise().squaredNorm().maxCoeff(), end.colwise().squaredNorm().maxCoeff()));
}

template <int K>
Separation find_separation(const MovingPatch<K>& patch, double t, double limit) {
  const Stencil<K> g = patch.at(t), v = patch.velocity();
  Separation best;
  const auto consider = [&](const Direction& direction) {
    const Vec3& n = direction.n;
    const Eigen::Matrix<double, 1, K> distance = n.transpose() * g, speed = n.transpose() * v;
    const double margin = distance.minCoeff();
    if (margin > best.nearest.margin) best.nearest = {n, margin};
    if (!(margin > limit)) return;

    double at_rest = kInfinity, turning = kInfinity;
    const Vec3& dn = direction.dn_dt;
    const double lengthening = 0.5 * limit * dn.squaredNorm();  // limit |n + s dn| <= limit + lengthening s^2
    for (int j = 0; j < K; ++j) {
      const double c = distance[j] - limit;
      if (speed[j] < 0) at_rest = std::min(at_rest, -c / speed[j]);
      turning = std::min(turning, first_fall(dn.dot(v.col(j)) - lengthening, speed[j] + dn.dot(g.col(j)), c));
    }
    best.reach = std::max(best.reach, t + std::max(at_rest, turning));
  };
  for (int j = 0; j < K; ++j) {
    const int next = (j + 1) % K;
    consider(towards_side(g.col(j), g.col(next), v.col(j), v.col(next)));
  }
  consider(normal_direction(g.col(1) - g.col(0), g.col(2) - g.col(1), v.col(1) - v.col(0),
                            v.col(2) - v.col(1), g.col(0)));
  return best;
}

template struct MovingPatch<3>;
template struct MovingPatch<4>;
template Separation find_separation(const MovingPatch<3>&, double, double);
template Separation find_separation(const MovingPatch<4>&, double, double);

}  // namespace keydrape
