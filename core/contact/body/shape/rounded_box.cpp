#include "core/contact/body/shape/rounded_box.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/contact/body/shape/smooth_ramp.h"

namespace keydrape {

RoundedBox::RoundedBox(const BoundingBox& box, double radius)
    : box_(box), inner_((0.5 * (box.high - box.low)).array() - radius), radius_(radius) {
  assert((box.low.array() < box.high.array()).all());
  assert(radius > 0 && inner_.minCoeff() >= kRampShare * radius * (1 - 1e-9));
}

DistanceSample RoundedBox::sample(const Vec3& p) const {
  const double w = kRampShare * radius_;
  const Vec3 r = p - box_.center();
  const Vec3 q = r.cwiseAbs() - inner_;
  Vec3 m, dm;  // m(q), and m m' with its sign: the gradient of |m|^2/2
  Vec3 d2m;    // (m m')'
  for (int a = 0; a < 3; ++a) {
    const SmoothRamp ramp = smooth_ramp(q(a), w);
    m(a) = ramp.value;
    dm(a) = std::copysign(ramp.value * ramp.d1, r(a));
    d2m(a) = ramp.d1 * ramp.d1 + ramp.value * ramp.d2;
  }
  const double l = m.norm();
  if (l == 0) {
    int a = 0;
    const double nearest = q.maxCoeff(&a);
    return {nearest + w - radius_, std::copysign(1.0, r(a)) * Vec3::Unit(a), Mat3::Zero()};
  }
  const Vec3 gradient = dm / l;
  Mat3 hessian = -gradient * gradient.transpose();
  hessian.diagonal() += d2m;
  return {l - radius_, gradient, hessian / l};
}

double RoundedBox::distance(const Vec3& p) const {
  const double w = kRampShare * radius_;
  const Vec3 q = (p - box_.center()).cwiseAbs() - inner_;
  const Vec3 m(smooth_ramp(q.x(), w).value, smooth_ramp(q.y(), w).value, smooth_ramp(q.z(), w).value);
  return m.norm() + std::min(q.maxCoeff() + w, 0.0) - radius_;
}

// |grad phi| <= 1, for m' <= 1.
double RoundedBox::free_radius(const Vec3& p, double level) const {
  return std::max(0.0, distance(p) - level);
}

double RoundedBox::band() const { return std::numeric_limits<double>::infinity(); }

}  // namespace keydrape
