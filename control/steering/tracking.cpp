#include "control/steering/tracking.h"

#include <cassert>
#include <utility>

namespace keydrape {

Tracking::Tracking(const ControlLayout& layout, const Feedback& feedback, Prediction prediction,
                   const BallBounds* bounds)
    : layout_(layout),
      feedback_(feedback),
      reference_(prediction.reference),
      change_(prediction.change),
      z_(std::move(prediction.z)),
      bounds_(bounds) {
  assert(z_.size() == layout.size() && change_.size() == reference_.states.size());
}

void Tracking::steer(int step, const State& state, VecX& u) {
  const int block = layout_.block_of_step(step);
  if (block < 0) {
    u.setZero();
    return;
  }
  if (block != block_ && layout_.triples_beginning(block).count > 0) {
    const State& reference = reference_.states[step];
    subtract_feedback(layout_, feedback_, block,
                      {state.x - reference.x - change_[step].x, state.v - reference.v - change_[step].v}, z_);
    const auto [first, count] = layout_.triples_beginning(block);
    if (bounds_) bounds_->project(z_, first, count);
  }
  block_ = block;
  layout_.force(z_, block, u);
}

std::optional<VecX> Tracking::expected(int step) const {
  return reference_.states[step + 1].x + change_[step + 1].x;
}

}  // namespace keydrape
