#include "control/steering/guidance.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>

#include "control/goal/target_surface.h"
#include "control/steering/spline_choice.h"

namespace keydrape {

namespace {

// How far ahead of the cloth the aim on a track is, in blocks of forces.
constexpr int kBlocksAhead = 3;

// Acceleration that takes away a miss in `steps_to_go` steps of dt, where `held` steps feel it before it is
// chosen anew. Constant over k steps it moves a particle by a dt^2 k (k + 1)/2, which lands in the last
// block; before that, 3 instead of 2 is the start of the least effort.
Vec3 steering(const Vec3& miss, double dt, int steps_to_go, int held) {
  const double k = steps_to_go;
  return (steps_to_go <= held ? 2.0 : 3.0) / (dt * dt * k * (k + 1.0)) * miss;
}

}  // namespace

Guidance::Guidance(const ControlLayout& layout, const std::vector<Keyframe>& keyframes, double dt,
                   const BallBounds* bounds)
    : layout_(layout), dt_(dt), bounds_(bounds), z_(VecX::Zero(layout.size())) {
  std::copy_if(keyframes.begin(), keyframes.end(), std::back_inserter(keyframes_),
               [](const Keyframe& k) { return k.has_weight(); });
}

Guidance::Guidance(const ControlLayout& layout, const std::vector<Keyframe>& keyframes, double dt,
                   const BallBounds* bounds, const Reference& reference)
    : Guidance(layout, keyframes, dt, bounds) {
  assert(reference.z.size() == layout.size() &&
         static_cast<int>(reference.run.states.size()) == layout.step_count() + 1);
  reference_.emplace(reference);
  z_ = reference.z;
}

void Guidance::steer(int step, const State& state, VecX& u) {
  for (const Keyframe& k : keyframes_)
    if (k.relative_to == step) origins_[step] = state;
  const int block = layout_.block_of_step(step);
  if (block < 0) {
    u.setZero();
    return;
  }
  if (block != block_) choose(step, block, state);
  layout_.force(z_, block, u);
}

std::optional<VecX> Guidance::expected(int step) const {
  if (!reference_) return std::nullopt;
  return reference_->run.states[step + 1].x;
}

bool Guidance::is_landing(int step) const {
  if (!reference_) return true;
  return std::any_of(keyframes_.begin(), keyframes_.end(), [&](const Keyframe& k) {
    return k.state > step && k.state - step <= reference_->landing_steps;
  });
}

int Guidance::aim(int step, int held) const {
  const Keyframe* next = nullptr;
  for (const Keyframe& k : keyframes_)
    if (k.state > step && (next == nullptr || k.state < next->state)) next = &k;
  if (next == nullptr) return -1;
  int state = next->state;
  for (const Keyframe& k : keyframes_)
    if (k.target_id >= 0 && k.target_id == next->target_id && k.state <= step + kBlocksAhead * held)
      state = std::max(state, k.state);
  return state;
}

void Guidance::match_surfaces(int state, const VecX& x) {
  for (Keyframe& k : keyframes_) {
    if (k.state != state || k.surface == nullptr) continue;
    SurfaceMatch match = k.surface->match(x);
    k.target = std::move(match.points);
    k.directions = std::move(match.directions);
  }
}

Guidance::Particle Guidance::coast(const Flight& flight, int i, int step, const State& at) const {
  const double tau = dt_ * flight.to_go;
  Vec3 x = at.x.segment<3>(3 * i), v = at.v.segment<3>(3 * i);
  if (!reference_) return {x + tau * v, v};
  const State &now = reference_->run.states[step], &then = reference_->run.states[flight.aimed];
  x -= now.x.segment<3>(3 * i), v -= now.v.segment<3>(3 * i);
  return {then.x.segment<3>(3 * i) + x + tau * v, then.v.segment<3>(3 * i) + v};
}

Vec3 Guidance::hold(int k, int step, const State& at) const {
  if (!reference_) return Vec3::Zero();
  const State& wanted = reference_->run.states[step];
  const Feedback& feedback = reference_->feedback;
  const int i = layout_.active()[k];
  const Vec3 a =
      feedback.kp * (wanted.x - at.x).segment<3>(3 * i) + feedback.kd * (wanted.v - at.v).segment<3>(3 * i);
  return layout_.compliance(k, feedback.change_price) * a;
}

std::optional<Guidance::Lack> Guidance::lack(const Flight& flight, int i, int step, const State& at) const {
  const auto [x, v] = coast(flight, i, step, at);
  for (const Keyframe& k : keyframes_) {
    if (k.state != flight.aimed || k.vertex_weight(i) <= 0.0) continue;
    const State* origin = nullptr;
    if (k.relative_to) {
      const auto known = origins_.find(*k.relative_to);
      if (known == origins_.end()) continue;
      origin = &known->second;
    }
    if (k.weight <= 0.0) {
      const Vec3 wanted = k.target_velocity.segment<3>(3 * i);
      return Lack{(origin ? Vec3(wanted + origin->v.segment<3>(3 * i)) : wanted) - v, true, nullptr};
    }
    const Vec3 target = k.target.segment<3>(3 * i);
    const Vec3 off = (origin ? Vec3(target + origin->x.segment<3>(3 * i)) : target) - x;
    const Mat3* across = k.directions.empty() ? nullptr : &k.directions[static_cast<std::size_t>(i)];
    return Lack{across ? Vec3(*across * off) : off, false, across};
  }
  return std::nullopt;
}

Vec3 Guidance::pull(const Flight& flight, const Lack& lack) const {
  if (lack.is_velocity) return lack.value / (dt_ * flight.to_go);
  return steering(lack.value, dt_, flight.to_go, flight.held);
}

void Guidance::choose_functions(const Flight& flight, int step, int block, const State& at) {
  VecX way = VecX::Zero(layout_.block_count()), speed = way;  // that a unit of acceleration makes by then
  const int horizon = std::min(
      flight.aimed, step + static_cast<int>(std::lround(layout_.blocks_in_response() * flight.held)));
  double drift_way = 0.0, drift_speed = 0.0;
  for (int n = step; n < flight.aimed; ++n) {
    if (n < horizon) drift_way += dt_ * dt_ * (flight.aimed - n), drift_speed += dt_;
    if (layout_.block_of_step(n) < 0) continue;
    way(layout_.block_of_step(n)) += dt_ * dt_ * (flight.aimed - n);
    speed(layout_.block_of_step(n)) += dt_;
  }
  const SplineChoice of_place(layout_, block, way), of_speed(layout_, block, speed);
  const VecX decided = layout_.fine(reference_ ? VecX(z_ - reference_->z) : z_);
  const int first = layout_.first_beginning(block), count = layout_.end_beginning(block) - first;
  std::vector<ControlLayout::Rows> y(static_cast<std::size_t>(count),
                                     ControlLayout::Rows::Zero(layout_.active_count(), 3));
  for (int k = 0; k < layout_.active_count(); ++k) {
    const std::optional<Lack> lacking = lack(flight, layout_.active()[k], step, at);
    if (!lacking) continue;
    const SplineChoice& choice = lacking->is_velocity ? of_speed : of_place;
    Vec3 wanted = lacking->value - choice.decided(decided, k) -
                  (lacking->is_velocity ? drift_speed : drift_way) * drift(k, step, at);
    if (lacking->across) wanted = *lacking->across * wanted;
    const std::vector<Vec3> chosen = choice.choose(decided, k, wanted);
    for (int g = 0; g < count; ++g)
      y[static_cast<std::size_t>(g)].row(k) =
          layout_.compliance(k) * chosen[static_cast<std::size_t>(g)].transpose();
  }
  for (int g = 0; g < count; ++g) layout_.add_to_group(first + g, y[static_cast<std::size_t>(g)], z_);
  last_choice_ = {step, at.v};
}

Vec3 Guidance::drift(int k, int step, const State& at) const {
  if (reference_ || !last_choice_ || step <= last_choice_->step) return Vec3::Zero();
  const Eigen::Index i = 3 * static_cast<Eigen::Index>(layout_.active()[static_cast<std::size_t>(k)]);
  Vec3 gained = (at.v - last_choice_->v).segment<3>(i);
  for (int n = last_choice_->step; n < step; ++n)
    if (layout_.block_of_step(n) >= 0)
      gained -= dt_ * kStandardGravity * layout_.acceleration(z_, layout_.block_of_step(n), k);
  return gained / (dt_ * (step - last_choice_->step));
}

void Guidance::choose(int step, int block, const State& state) {
  block_ = block;
  int held = 1;
  while (step + held < layout_.step_count() && layout_.block_of_step(step + held) == block) ++held;
  const int aimed = is_landing(step) ? aim(step, held) : -1;
  if (aimed < 0 && !reference_) return;
  const Flight flight{aimed, aimed - step, held};
  // Those that the reference was judged by stay.
  if (!reference_) match_surfaces(aimed, state.x);
  const bool is_splined = layout_.spline() && aimed >= 0;
  if (is_splined && layout_.triples_beginning(block).count > 0) choose_functions(flight, step, block, state);
  ControlLayout::Rows y = ControlLayout::Rows::Zero(layout_.active_count(), 3);
  for (int k = 0; k < layout_.active_count(); ++k) {
    const int i = layout_.active()[k];
    const std::optional<Lack> lacking = aimed < 0 ? std::nullopt : lack(flight, i, step, state);
    if (lacking && is_splined) continue;
    const Vec3 a = lacking ? Vec3(layout_.compliance(k) * pull(flight, *lacking)) : hold(k, step, state);
    y.row(k) = a.transpose() / (kStandardGravity * layout_.acceleration_scale(block, k));
  }
  layout_.add_beginning(block, y, z_);
  const auto [first, count] = layout_.triples_beginning(block);
  if (bounds_) bounds_->project(z_, first, count);
}

}  // namespace keydrape
