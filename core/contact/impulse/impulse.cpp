#include "core/contact/impulse/impulse.h"

#include <algorithm>

namespace keydrape {

namespace {

// K = sum c_i^2 W_i: an impulse J between the two changes their velocity by K J. [1/kg]
Mat3 mobility_of(const ImpactPoint& point, const Mobility& mobility) {
  Mat3 K = Mat3::Zero();
  for (int a = 0; a < point.count; ++a)
    K += point.weights[a] * point.weights[a] * mobility.of(point.vertices[a]);
  return K;
}

void add_impulse(const ImpactPoint& point, const Mobility& mobility, const Vec3& impulse, VecX& v) {
  for (int a = 0; a < point.count; ++a)
    v.segment<3>(3 * point.vertices[a]) += point.weights[a] * (mobility.of(point.vertices[a]) * impulse);
}

}  // namespace

Vec3 ImpactPoint::velocity(const VecX& v) const {
  Vec3 sum = -drift;
  for (int a = 0; a < count; ++a) sum += weights[a] * v.segment<3>(3 * vertices[a]);
  return sum;
}

void push_apart(const ImpactPoint& point, const Mobility& mobility, double speed, VecX& v, double most) {
  const double missing = speed - point.normal_speed(v);
  if (!(missing > 0.0)) return;
  const Mat3 K = mobility_of(point, mobility);
  const double along = point.normal.dot(K * point.normal);
  if (!(along > 0.0)) return;  // pins and bodies hold both
  const double impulse = std::min(missing / along, most);
  add_impulse(point, mobility, impulse * point.normal, v);
  const Vec3 slip = point.velocity(v) - point.normal * point.normal_speed(v);
  const double slip_speed = slip.norm();
  if (!(point.friction > 0.0 && slip_speed > 0.0)) return;
  const Vec3 t = slip / slip_speed;
  const double across = t.dot(K * t);
  if (across > 0.0)
    add_impulse(point, mobility, -std::min(point.friction * impulse, slip_speed / across) * t, v);
}

double parting_speed(const ImpactPoint& point, double restitution, const VecX& v, const VecX& before) {
  return restitution * std::max(0.0, std::min(-point.normal_speed(v), -point.normal_speed(before)));
}

}  // namespace keydrape
