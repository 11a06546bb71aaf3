#include "control/linearized_trajectory.h"

#include <cassert>

namespace keydrape {

LinearizedTrajectory::LinearizedTrajectory(const Simulator& simulator, const Trajectory& trajectory,
                                           size_t memory_budget_bytes)
    : simulator_(simulator), trajectory_(trajectory), steps_(trajectory.step_count()) {
  assert(trajectory.first_failure() == trajectory.step_count());
  for (int n = 0; n < step_count(); ++n) {
    auto linearization = std::make_unique<StepLinearization>(simulator, simulator.cholesky(), n, trajectory.states[n],
                                                             trajectory.states[n + 1]);
    ++factorizations_;
    indefinite_count_ += linearization->is_indefinite();
    const size_t bytes = linearization->memory_bytes();
    if (memory_bytes_ + 2 * bytes > memory_budget_bytes) {  // one more: the one that passes by
      for (int k = n + 1; k < step_count(); ++k) steps_[k] = nullptr;
      passing_ = std::move(linearization);
      passing_index_ = n;
      break;
    }
    memory_bytes_ += bytes;
    ++kept_count_;
    steps_[n] = std::move(linearization);
  }
}

const StepLinearization& LinearizedTrajectory::step(int n) const {
  assert(0 <= n && n < step_count());
  if (steps_[n]) return *steps_[n];
  if (passing_index_ != n) {
    passing_.reset();
    passing_ = std::make_unique<StepLinearization>(simulator_, simulator_.cholesky(), n, trajectory_.states[n],
                                                   trajectory_.states[n + 1]);
    passing_index_ = n;
    ++factorizations_;
  }
  return *passing_;
}

StateVector seed_or_zero(const StateVector& seed, int vertex_count) {
  const VecX zero = VecX::Zero(3 * vertex_count);
  return {seed.x.size() ? seed.x : zero, seed.v.size() ? seed.v : zero};
}

StateVector adjoint_step(const LinearizedTrajectory& trajectory, int n, const StateVector& bar,
                         const StateVector& seed, VecX& lambda) {
  const double dt = trajectory.dt();
  const StepLinearization& step = trajectory.step(n);
  StateVector before;
  step.solve(bar.x + bar.v / dt, lambda);  // (A1), (A2)
  step.apply_start_x_transposed(lambda, before.x);
  step.apply_start_v_transposed(lambda, before.v);
  before.x -= bar.v / dt;  // (A3), (A4)
  if (seed.x.size()) before.x += seed.x;
  if (seed.v.size()) before.v += seed.v;
  return before;
}

StateVector tangent_step(const LinearizedTrajectory& trajectory, int n, const StateVector& change, const VecX& du) {
  const StepLinearization& step = trajectory.step(n);
  StateVector after;
  VecX b, through_v;
  step.apply_start_x(change.x, b);
  step.apply_start_v(change.v, through_v);
  b += through_v;
  if (du.size()) b += du;
  step.solve(b, after.x);  // (T1)
  after.v = (after.x - change.x) / trajectory.dt();
  return after;
}

AdjointResult adjoint(const LinearizedTrajectory& trajectory, const std::vector<StateVector>& seeds) {
  const int N = trajectory.step_count();
  assert(static_cast<int>(seeds.size()) == N + 1);
  AdjointResult result;
  result.u_bar.resize(N);
  StateVector bar = seed_or_zero(seeds[N], trajectory.vertex_count());
  for (int n = N - 1; n >= 0; --n) bar = adjoint_step(trajectory, n, bar, seeds[n], result.u_bar[n]);
  result.initial = std::move(bar);
  return result;
}

std::vector<StateVector> tangent(const LinearizedTrajectory& trajectory, const std::vector<VecX>& du,
                                 const StateVector& initial) {
  assert(static_cast<int>(du.size()) == trajectory.step_count());
  std::vector<StateVector> change{initial};
  for (int n = 0; n < trajectory.step_count(); ++n)
    change.push_back(tangent_step(trajectory, n, change[n], du[n]));
  return change;
}

}  // namespace keydrape
