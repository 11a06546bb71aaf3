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
  int a = 0;
  const double q_max = q.maxCoeff(&a);
  SmoothRamp ramps[3];
  Vec3 m;  // m(q)
  for (int b = 0; b < 3; ++b) {
    ramps[b] = smooth_ramp(q(b), w);
    m(b) = ramps[b].value;
  }
  const double l = m.norm();
  Vec3 gradient = Vec3::Zero();  // of |m|
  Mat3 hessian = Mat3::Zero();
  if (l > 0.0) {
    for (int b = 0; b < 3; ++b) gradient(b) = std::copysign(m(b) / l * ramps[b].d1, r(b));
    hessian = -gradient * gradient.transpose();
    for (int b = 0; b < 3; ++b) hessian(b, b) += ramps[b].d1 * ramps[b].d1 + m(b) * ramps[b].d2;
    hessian /= l;
  }
  gradient(a) += std::copysign(1.0 - ramps[a].d1, r(a));
  hessian(a, a) -= ramps[a].d2;
  return {l + q_max - m(a) - radius_, gradient, hessian};
}

double RoundedBox::distance(const Vec3& p) const {
  const double w = kRampShare * radius_;
  const Vec3 q = (p - box_.center()).cwiseAbs() - inner_;
  const Vec3 m(smooth_ramp(q.x(), w).value, smooth_ramp(q.y(), w).value, smooth_ramp(q.z(), w).value);
  return m.norm() + q.maxCoeff() - m.maxCoeff() - radius_;
}

// |grad phi| <= 1: with t = m'(q_max) >= the other m', c = m(q_max)/|m|, its square is at most
// (1 - t (1 - c))^2 + t^2 (1 - c^2) = 1 - 2 t (1 - t) (1 - c).
double RoundedBox::free_radius(const Vec3& p, double level) const {
  return std::max(0.0, distance(p) - level);
}

// The highest tie is that of all three at w.
double RoundedBox::smooth_depth() const { return (1.0 - std::sqrt(3.0) * kRampShare) * radius_; }

double RoundedBox::band() const { return std::numeric_limits<double>::infinity(); }

}  // namespace keydrape
