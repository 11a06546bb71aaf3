#include "control/guidance.h"

#include <algorithm>
#include <cassert>

namespace keydrape {

namespace {

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
    : layout_(layout), keyframes_(keyframes), dt_(dt), bounds_(bounds), z_(VecX::Zero(layout.size())) {
  assert(std::is_sorted(keyframes.begin(), keyframes.end(),
                        [](const Keyframe& a, const Keyframe& b) { return a.state < b.state; }));
}

void Guidance::steer(int step, const State& state, VecX& u) {
  const int block = layout_.block_of_step(step);
  if (block < 0) {
    u.setZero();
    return;
  }
  if (block != block_) choose(step, block, state);
  layout_.force(z_, block, u);
}

void Guidance::choose(int step, int block, const State& state) {
  block_ = block;
  const auto next = std::find_if(keyframes_.begin(), keyframes_.end(), [&](const Keyframe& k) { return k.state > step; });
  if (next == keyframes_.end()) return;
  int held = 1;
  while (step + held < layout_.step_count() && layout_.block_of_step(step + held) == block) ++held;
  const int to_go = next->state - step;
  ControlLayout::Rows y = ControlLayout::Rows::Zero(layout_.active_count(), 3);
  for (int k = 0; k < layout_.active_count(); ++k) {
    const int i = layout_.active()[k];
    if (next->vertex_weight(i) <= 0.0) continue;
    const Vec3 miss = next->target.segment<3>(3 * i) - state.x.segment<3>(3 * i) -
                      dt_ * to_go * state.v.segment<3>(3 * i);
    y.row(k) =
        steering(miss, dt_, to_go, held).transpose() / (kStandardGravity * layout_.acceleration_scale(k));
  }
  layout_.add_beginning(block, y, z_);
  const auto [first, count] = layout_.triples_beginning(block);
  if (bounds_) bounds_->project(z_, first, count);
}

}  // namespace keydrape
