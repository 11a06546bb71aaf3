#include "control/steering/prolongation.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace keydrape {
namespace {

// Splines need some 20; a start only has to come near.
constexpr int kMaxIterations = 100;
constexpr double kTolerance = 1e-10;

Eigen::Index rows_of(const ControlLayout& layout) {
  return 3 * static_cast<Eigen::Index>(layout.active_count());
}

// Between the vertices that may be pushed: y of a block of the finer layout from that of a coarse block. (P1)
ControlLayout::Rows prolonged_block(const ControlLayout& layout, const CoarseRun& coarse,
                                    const ControlLayout::Rows& y_coarse) {
  VecX values = VecX::Zero(3 * coarse.embedding.coarse_count());
  for (int k = 0; k < coarse.layout.active_count(); ++k)
    values.segment<3>(3 * coarse.layout.active()[k]) = y_coarse.row(k).transpose();
  values = coarse.embedding.prolonged(values);
  ControlLayout::Rows y(layout.active_count(), 3);
  for (int k = 0; k < layout.active_count(); ++k)
    y.row(k) = values.segment<3>(3 * layout.active()[k]).transpose();
  const double coarse_count = static_cast<double>(coarse.layout.block_count()) * coarse.layout.active_count();
  return std::sqrt(coarse_count / layout.block_count() / layout.active_count()) * y;
}

// y of all blocks (3 F m).
VecX prolonged_blocks(const ControlLayout& layout, double dt, const CoarseRun& coarse) {
  const VecX y_coarse = coarse.layout.fine(coarse.z);
  VecX y = VecX::Zero(rows_of(layout) * layout.block_count());
  for (int first = 0; first < layout.step_count();) {
    const int block = layout.block_of_step(first);
    int end = first + 1;
    while (end < layout.step_count() && layout.block_of_step(end) == block) ++end;
    const double middle = 0.5 * (first + end) * dt;
    const int step = std::min(static_cast<int>(middle / coarse.dt), coarse.layout.step_count() - 1);
    const int there = coarse.layout.block_of_step(step);
    if (block >= 0 && there >= 0) {
      const Eigen::Map<const ControlLayout::Rows> block_there(
          y_coarse.data() + rows_of(coarse.layout) * there, coarse.layout.active_count(), 3);
      Eigen::Map<ControlLayout::Rows>(y.data() + rows_of(layout) * block, layout.active_count(), 3) =
          prolonged_block(layout, coarse, block_there);
    }
    first = end;
  }
  return y;
}

}  // namespace

VecX prolonged_unknowns(const ControlLayout& layout, double dt, const CoarseRun& coarse) {
  assert(layout.channel_size() == 0 && coarse.layout.channel_size() == 0);
  VecX z = VecX::Zero(layout.size());
  VecX r = VecX::Zero(layout.size());
  layout.add_fine_transposed(prolonged_blocks(layout, dt, coarse), r);
  layout.project(r);
  VecX p = r;
  double r2 = r.squaredNorm();
  const double enough = kTolerance * kTolerance * r2;
  for (int i = 0; i < kMaxIterations && r2 > enough; ++i) {
    VecX Ap = VecX::Zero(layout.size());
    layout.add_fine_transposed(layout.fine(p), Ap);
    layout.project(Ap);
    const double alpha = r2 / p.dot(Ap);
    z += alpha * p;
    r -= alpha * Ap;
    const double before = r2;
    r2 = r.squaredNorm();
    p = r + r2 / before * p;
  }
  return z;
}

Prolongation::Prolongation(const ControlLayout& layout, double dt, const Feedback& feedback,
                           const CoarseRun& coarse, const BallBounds* bounds)
    : layout_(layout),
      dt_(dt),
      feedback_(feedback),
      coarse_(coarse),
      bounds_(bounds),
      z_(prolonged_unknowns(layout, dt, coarse)) {
  if (bounds_) bounds_->project(z_);
}

State Prolongation::coarse_state(int step) const {
  const double at = step * dt_ / coarse_.dt;
  const int last = coarse_.trajectory.step_count();
  const int n = std::min(static_cast<int>(at), last), next = std::min(n + 1, last);
  const double t = at - n;
  const State &a = coarse_.trajectory.states[n], &b = coarse_.trajectory.states[next];
  return {(1.0 - t) * a.x + t * b.x, (1.0 - t) * a.v + t * b.v};
}

void Prolongation::steer(int step, const State& state, VecX& u) {
  const int block = layout_.block_of_step(step);
  if (block < 0) {
    u.setZero();
    return;
  }
  if (block != block_ && layout_.triples_beginning(block).count > 0) {
    const State there = coarse_state(step);
    const VecX a = feedback_.kp * (coarse_.embedding.restricted(state.x) - there.x) +
                   feedback_.kd * (coarse_.embedding.restricted(state.v) - there.v);
    ControlLayout::Rows y(coarse_.layout.active_count(), 3);
    const int there_step =
        std::min(static_cast<int>(step * dt_ / coarse_.dt), coarse_.layout.step_count() - 1);
    const int coarse_block = std::max(coarse_.layout.block_of_step(there_step), 0);
    for (int k = 0; k < coarse_.layout.active_count(); ++k)
      y.row(k) = coarse_.layout.compliance(k, feedback_.change_price) *
                 a.segment<3>(3 * coarse_.layout.active()[k]).transpose() /
                 (-kStandardGravity * coarse_.layout.acceleration_scale(coarse_block, k));
    layout_.add_beginning(block, prolonged_block(layout_, coarse_, y), z_);
    const auto [first, count] = layout_.triples_beginning(block);
    if (bounds_) bounds_->project(z_, first, count);
  }
  block_ = block;
  layout_.force(z_, block, u);
}

}  // namespace keydrape
