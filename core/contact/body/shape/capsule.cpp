#include "core/contact/body/shape/capsule.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/contact/body/shape/smooth_ramp.h"

namespace keydrape {
namespace {

// e(t) of (S4).
SmoothRamp excess(double t, double length, double w) {
  const SmoothRamp after = smooth_ramp(t - length, w), before = smooth_ramp(-t, w);
  return {after.value - before.value, after.d1 + before.d1, after.d2 - before.d2};
}

}  // namespace

Capsule::Capsule(const Axis& axis, double radius)
    : axis_(axis), u_(Vec3::UnitY()), length_((axis.end - axis.start).norm()), radius_(radius) {
  assert(radius > 0);
  if (length_ > 0) u_ = (axis.end - axis.start) / length_;
}

DistanceSample Capsule::sample(const Vec3& p) const {
  const Vec3 r = p - axis_.start;
  const double t = u_.dot(r);
  const SmoothRamp e = excess(t, length_, kRampShare * radius_);
  const Vec3 across = r - t * u_;
  const double l = std::hypot(e.value, across.norm());
  if (l == 0) return {-radius_, u_.unitOrthogonal(), Mat3::Zero()};
  const Vec3 gradient = (e.value * e.d1 * u_ + across) / l;
  const Mat3 uu = u_ * u_.transpose();
  const Mat3 hessian =
      ((e.d1 * e.d1 + e.value * e.d2) * uu + Mat3::Identity() - uu - gradient * gradient.transpose()) / l;
  return {l - radius_, gradient, hessian};
}

double Capsule::distance(const Vec3& p) const {
  const Vec3 r = p - axis_.start;
  const double t = u_.dot(r);
  return std::hypot(excess(t, length_, kRampShare * radius_).value, (r - t * u_).norm()) - radius_;
}

// |grad phi| <= 1, for m' <= 1.
double Capsule::free_radius(const Vec3& p, double level) const { return std::max(0.0, distance(p) - level); }

BoundingBox Capsule::bounds() const {
  const Vec3 r = Vec3::Constant(radius_);
  return {axis_.start.cwiseMin(axis_.end) - r, axis_.start.cwiseMax(axis_.end) + r};
}

double Capsule::band() const { return std::numeric_limits<double>::infinity(); }

}  // namespace keydrape
