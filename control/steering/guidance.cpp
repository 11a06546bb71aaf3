#include "control/steering/guidance.h"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "control/goal/target_surface.h"

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
  if (bounds_) bounds_->project(z_);  // without forces those of a take may be too large
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
    return k.state > step && k.state - step <= reference_->guided_steps;
  });
}

int Guidance::aim(int step, int held) const {
  const Keyframe* next = next_weighted(keyframes_, step);
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

std::optional<Vec3> Guidance::pull(const Flight& flight, int i, int step, const State& at) const {
  const double tau = dt_ * flight.to_go;
  const auto [x, v] = coast(flight, i, step, at);
  for (const Keyframe& k : keyframes_) {
    if (k.state != flight.aimed) continue;
    const VecX& omega = k.weight > 0.0 ? k.vertex_weight : k.velocity_omega();
    if (omega(i) <= 0.0) continue;
    const State* origin = nullptr;
    if (k.relative_to) {
      const auto known = origins_.find(*k.relative_to);
      if (known == origins_.end()) continue;
      origin = &known->second;
    }
    if (k.weight <= 0.0) {
      const Vec3 wanted = k.target_velocity.segment<3>(3 * i);
      return ((origin ? Vec3(wanted + origin->v.segment<3>(3 * i)) : wanted) - v) / tau;
    }
    const Vec3 target = k.target.segment<3>(3 * i);
    const Vec3 off = (origin ? Vec3(target + origin->x.segment<3>(3 * i)) : target) - x;
    return steering(k.directions.empty() ? off : Vec3(k.directions[i] * off), dt_, flight.to_go, flight.held);
  }
  return std::nullopt;
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
  const int n = layout_.active_count();
  ControlLayout::Rows y = ControlLayout::Rows::Zero(n, 3);
  for (int k = 0; k < n; ++k) {
    const auto pulled = aimed < 0 ? std::nullopt : pull(flight, layout_.active()[k], step, state);
    const Vec3 a = pulled ? Vec3(layout_.compliance(k) * *pulled) : hold(k, step, state);
    y.row(k) = a.transpose() / (kStandardGravity * layout_.acceleration_scale(block, k));
  }
  layout_.add_beginning(block, y, z_);
  const auto [first, count] = layout_.triples_beginning(block);
  if (bounds_) bounds_->project(z_, first, count);
}

}  // namespace keydrape
