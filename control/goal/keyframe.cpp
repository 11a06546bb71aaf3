#include "control/goal/keyframe.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "control/goal/target_surface.h"

namespace keydrape {

namespace {

// P_i d.
Vec3 projected(const Keyframe& keyframe, Eigen::Index i, const Vec3& d) {
  return keyframe.directions.empty() ? d : Vec3(keyframe.directions[i] * d);
}

// omega_i q_i.
double pull(const Keyframe& keyframe, Eigen::Index i) {
  const double omega = keyframe.vertex_weight(i);
  return keyframe.vertex_factor.size() ? omega * keyframe.vertex_factor(i) : omega;
}

// What the keyframe adds to the goal at weight factor 1: positions in units of the length, velocities in that
// of a fall over it. Of one that is only measured, whose term is 0 anywhere, the square of its miss [m^2].
double term(const Keyframe& keyframe, const State& compared, double length) {
  if (!keyframe.has_weight()) return position_square(keyframe, compared.x);
  double sum = keyframe.weight / (length * length) * position_square(keyframe, compared.x);
  if (keyframe.velocity_weight > 0.0)
    sum += keyframe.velocity_weight / (kStandardGravity * length) * velocity_square(keyframe, compared.v);
  return sum;
}

}  // namespace

const Keyframe* next_weighted(const std::vector<Keyframe>& keyframes, int state) {
  const Keyframe* next = nullptr;
  for (const Keyframe& k : keyframes)
    if (k.has_weight() && k.state > state && (!next || k.state < next->state)) next = &k;
  return next;
}

VecX with_targets(const Keyframe& keyframe, VecX x) {
  assert(!keyframe.relative_to);
  for (Eigen::Index i = 0; i < keyframe.vertex_weight.size(); ++i)
    if (keyframe.vertex_weight[i] > 0.0) x.segment<3>(3 * i) = keyframe.target.segment<3>(3 * i);
  return x;
}

State compared_state(const Keyframe& keyframe, const StateSource& states) {
  State compared = states(keyframe.state);
  if (keyframe.relative_to) {
    const State origin = states(*keyframe.relative_to);
    compared.x -= origin.x;
    compared.v -= origin.v;
  }
  return compared;
}

VecX vertex_distances(const Keyframe& keyframe, const VecX& x) {
  assert(x.size() == keyframe.target.size());
  const VecX distances = (x - keyframe.target).reshaped(3, x.size() / 3).colwise().norm().transpose();
  return (keyframe.vertex_weight.array() > 0.0).select(distances, 0.0);
}

KeyframeMiss measure_miss(const Keyframe& keyframe, const VecX& x) {
  assert(x.size() == keyframe.target.size());
  double sum = 0.0, largest = 0.0;
  for (Eigen::Index i = 0; i < keyframe.vertex_weight.size(); ++i) {
    const double omega = keyframe.vertex_weight(i);
    if (omega <= 0.0) continue;
    const double squared = (x.segment<3>(3 * i) - keyframe.target.segment<3>(3 * i)).squaredNorm();
    sum += omega * squared;
    largest = std::max(largest, squared);
  }
  return {std::sqrt(sum / keyframe.vertex_weight.sum()), std::sqrt(largest)};
}

KeyframeMiss measure_miss(const Keyframe& keyframe, const StateSource& states, double length) {
  const auto measure = [&](const Keyframe& adapted) {
    const State compared = compared_state(adapted, states);
    KeyframeMiss miss = measure_miss(adapted, compared.x);
    if (adapted.velocity_weight > 0.0) miss.velocity_rms = std::sqrt(velocity_square(adapted, compared.v));
    miss.state = adapted.state;
    return miss;
  };
  if (!keyframe.is_adaptive()) return measure(keyframe);
  Keyframe adapted = keyframe;
  adapt(adapted, states, length);
  return measure(adapted);
}

double position_square(const Keyframe& keyframe, const VecX& x) {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < keyframe.vertex_weight.size(); ++i)
    sum += pull(keyframe, i) *
           projected(keyframe, i, x.segment<3>(3 * i) - keyframe.target.segment<3>(3 * i)).squaredNorm();
  return sum / keyframe.vertex_weight.sum();
}

double velocity_square(const Keyframe& keyframe, const VecX& v) {
  const VecX& omega = keyframe.velocity_omega();
  double sum = 0.0;
  for (Eigen::Index i = 0; i < omega.size(); ++i)
    sum += omega(i) * (v.segment<3>(3 * i) - keyframe.target_velocity.segment<3>(3 * i)).squaredNorm();
  return sum / omega.sum();
}

void add_weighted_positions(const Keyframe& keyframe, double factor, const VecX& d, VecX& out) {
  if (out.size() == 0) out.setZero(d.size());
  const double normalized = factor / keyframe.vertex_weight.sum();
  for (Eigen::Index i = 0; i < keyframe.vertex_weight.size(); ++i)
    out.segment<3>(3 * i) += (normalized * pull(keyframe, i)) * projected(keyframe, i, d.segment<3>(3 * i));
}

void add_weighted_velocities(const Keyframe& keyframe, double factor, const VecX& d, VecX& out) {
  if (out.size() == 0) out.setZero(d.size());
  const VecX& omega = keyframe.velocity_omega();
  const double normalized = factor / omega.sum();
  for (Eigen::Index i = 0; i < omega.size(); ++i)
    out.segment<3>(3 * i) += (normalized * omega(i)) * d.segment<3>(3 * i);
}

void match(Keyframe& keyframe, const VecX& x) {
  assert(keyframe.surface);
  SurfaceMatch found = keyframe.surface->match(x);
  keyframe.target = std::move(found.points);
  keyframe.directions = std::move(found.directions);
  keyframe.matched = x;
}

bool adapt(Keyframe& keyframe, const StateSource& states, double length) {
  assert(length > 0.0 && !(keyframe.surface && keyframe.relative_to));
  if (keyframe.candidates.empty()) {
    if (keyframe.surface) match(keyframe, states(keyframe.state).x);
    return false;
  }
  const int before = keyframe.state;
  Keyframe best = keyframe;
  double least = -1.0;
  for (const int state : keyframe.candidates) {
    keyframe.state = state;
    const State compared = compared_state(keyframe, states);
    if (keyframe.surface) match(keyframe, compared.x);
    const double value = term(keyframe, compared, length);
    if (least >= 0.0 && value >= least) continue;
    least = value;
    best = keyframe;
  }
  keyframe = std::move(best);
  return keyframe.state != before;
}

}  // namespace keydrape
