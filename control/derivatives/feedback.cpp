#include "control/derivatives/feedback.h"

#include <cassert>

namespace keydrape {

namespace {

// Whether something is decided by feedback at the start of a step: some unknowns begin to act.
bool decides(const ControlLayout& layout, const Feedback& feedback, int step) {
  const int block = layout.block_of_step(step);
  return !feedback.is_none() && block >= 0 && (step == 0 || layout.block_of_step(step - 1) != block) &&
         layout.triples_beginning(block).count > 0;
}

// The transpose of subtract_feedback: (x_bar, v_bar) -= K^T z_bar.
void subtract_feedback_transposed(const ControlLayout& layout, const Feedback& feedback, int block,
                                  const VecX& z_bar, VecX& x_bar, VecX& v_bar) {
  const ControlLayout::Rows y_bar = layout.beginning_transposed(block, z_bar);
  for (int k = 0; k < layout.active_count(); ++k) {
    const int i = layout.active()[k];
    const Vec3 a_bar = layout.compliance(k, feedback.change_price) * y_bar.row(k).transpose() /
                       (kStandardGravity * layout.acceleration_scale(block, k));
    x_bar.segment<3>(3 * i) -= feedback.kp * a_bar;
    v_bar.segment<3>(3 * i) -= feedback.kd * a_bar;
  }
}

}  // namespace

void subtract_feedback(const ControlLayout& layout, const Feedback& feedback, int block,
                       const StateVector& off, VecX& z) {
  ControlLayout::Rows y(layout.active_count(), 3);
  for (int k = 0; k < layout.active_count(); ++k) {
    const int i = layout.active()[k];
    const Vec3 a = feedback.kp * off.x.segment<3>(3 * i) + feedback.kd * off.v.segment<3>(3 * i);
    y.row(k) = layout.compliance(k, feedback.change_price) * a.transpose() /
               (-kStandardGravity * layout.acceleration_scale(block, k));
  }
  layout.add_beginning(block, y, z);
}

std::optional<FeedbackTangent> feedback_tangent(LinearizedTrajectory& trajectory, const FeedbackMap& map,
                                                const VecX& w) {
  const auto& [layout, feedback, face, channels, accuracy] = map;
  assert(w.size() == layout.size() && trajectory.step_count() == layout.step_count());
  assert((channels != nullptr) == (layout.channel_size() > 0));
  const VecX zero = VecX::Zero(3 * trajectory.vertex_count());
  FeedbackTangent result{{{zero, zero}}, w};
  layout.project(result.z);
  const VecX dc = layout.channels(w);
  if (channels) result.states[0] = channels->start_change(dc);
  VecX du;
  StepSweep sweep = trajectory.forward_sweep(accuracy);
  for (int n = 0; n < trajectory.step_count(); ++n) {
    const int block = layout.block_of_step(n);
    if (decides(layout, feedback, n)) {
      subtract_feedback(layout, feedback, block, result.states[n], result.z);
      const auto [first, count] = layout.triples_beginning(block);
      if (face) face->project_tangent(result.z, first, count);
    }
    if (block >= 0)
      layout.force(result.z, block, du);
    else
      du = zero;
    if (channels) channels->add_force(n, dc, du);
    std::optional<StateVector> after =
        tangent_step(sweep, n, result.states[n], du,
                     channels ? channels->forces_by_round(n, dc) : WayDerivative::ByRound());
    if (!after) return std::nullopt;
    result.states.push_back(std::move(*after));
    if (channels) channels->add_held(n, dc, result.states.back());
  }
  return result;
}

std::optional<VecX> feedback_adjoint(LinearizedTrajectory& trajectory, const FeedbackMap& map,
                                     const std::vector<StateVector>& seeds, const VecX& z_bar) {
  const auto& [layout, feedback, face, channels, accuracy] = map;
  const int N = trajectory.step_count();
  assert(static_cast<int>(seeds.size()) == N + 1 && z_bar.size() == layout.size());
  assert((channels != nullptr) == (layout.channel_size() > 0));
  VecX w_bar = z_bar, c_bar = layout.channels(z_bar), lambda;
  WayDerivative::ByRound by_round;
  StateVector bar = seed_or_zero(seeds[N], trajectory.vertex_count());
  StepSweep sweep = trajectory.backward_sweep(accuracy);
  for (int n = N - 1; n >= 0; --n) {
    const int block = layout.block_of_step(n);
    std::optional<StateVector> before = adjoint_step(sweep, n, bar, seeds[n], lambda, &by_round);
    if (!before) return std::nullopt;
    if (channels) channels->add_transposed(n, {lambda, by_round}, bar, c_bar);
    bar = std::move(*before);
    if (block >= 0) layout.add_transposed(lambda, block, w_bar);
    if (decides(layout, feedback, n)) {
      const auto [first, count] = layout.triples_beginning(block);
      if (face) face->project_tangent(w_bar, first, count);
      subtract_feedback_transposed(layout, feedback, block, w_bar, bar.x, bar.v);
    }
  }
  layout.project(w_bar);
  if (channels) channels->add_start_transposed(bar, c_bar);
  layout.channels(w_bar) = c_bar;
  return w_bar;
}

}  // namespace keydrape
