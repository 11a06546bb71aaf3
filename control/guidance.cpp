#include "control/guidance.h"

#include <algorithm>
#include <cassert>

#include "control/target_surface.h"

namespace keydrape {

namespace {

// How far ahead of the cloth the aim on a track is, in blocks of forces.
constexpr int kBlocksAhead = 3;

// Acceleration that takes away a miss in `steps_to_go` steps of dt, where `held` steps feel it before it is chosen
// anew. Constant over k steps it moves a particle by a dt^2 k (k + 1)/2, which lands in the last block; before that, 3
// instead of 2 is the start of the least effort.
Vec3 steering(const Vec3& miss, double dt, int steps_to_go, int held) {
  const double k = steps_to_go;
  return (steps_to_go <= held ? 2.0 : 3.0) / (dt * dt * k * (k + 1.0)) * miss;
}

}  // namespace

Guidance::Guidance(const ControlLayout& layout, const std::vector<Keyframe>& keyframes, double dt,
                   const BallBounds* bounds)
    : layout_(layout), keyframes_(keyframes), dt_(dt), bounds_(bounds), z_(VecX::Zero(layout.size())) {}

void Guidance::steer(int step, const State& state, VecX& u) {
  for (const Keyframe& k : keyframes_)
    if (k.relative_to == step) origins_[step] = state.x;
  const int block = layout_.block_of_step(step);
  if (block < 0) {
    u.setZero();
    return;
  }
  if (block != block_) choose(step, block, state);
  layout_.force(z_, block, u);
}

int Guidance::aim(int step, int held) const {
  const Keyframe* next = nullptr;
  for (const Keyframe& k : keyframes_)
    if (k.state > step && (next == nullptr || k.state < next->state)) next = &k;
  if (next == nullptr) return -1;
  int state = next->state;
  for (const Keyframe& k : keyframes_)
    if (k.goal >= 0 && k.goal == next->goal && k.state <= step + kBlocksAhead * held)
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

std::optional<Vec3> Guidance::miss(int state, int i, const Vec3& x) const {
  for (const Keyframe& k : keyframes_) {
    if (k.state != state || k.vertex_weight(i) <= 0.0) continue;
    Vec3 target = k.target.segment<3>(3 * i);
    if (k.relative_to) {
      const auto origin = origins_.find(*k.relative_to);
      if (origin == origins_.end()) continue;
      target += origin->second.segment<3>(3 * i);
    }
    return k.directions.empty() ? target - x : Vec3(k.directions[i] * (target - x));
  }
  return std::nullopt;
}

void Guidance::choose(int step, int block, const State& state) {
  block_ = block;
  int held = 1;
  while (step + held < layout_.step_count() && layout_.block_of_step(step + held) == block) ++held;
  const int aimed = aim(step, held), to_go = aimed - step;
  if (aimed < 0) return;
  match_surfaces(aimed, state.x);
  ControlLayout::Rows y = ControlLayout::Rows::Zero(layout_.active_count(), 3);
  for (int k = 0; k < layout_.active_count(); ++k) {
    const int i = layout_.active()[k];
    const std::optional<Vec3> off =
        miss(aimed, i, state.x.segment<3>(3 * i) + dt_ * to_go * state.v.segment<3>(3 * i));
    if (!off) continue;
    y.row(k) =
        steering(*off, dt_, to_go, held).transpose() / (kStandardGravity * layout_.acceleration_scale(k));
  }
  layout_.add_beginning(block, y, z_);
  const auto [first, count] = layout_.triples_beginning(block);
  if (bounds_) bounds_->project(z_, first, count);
}

}  // namespace keydrape
