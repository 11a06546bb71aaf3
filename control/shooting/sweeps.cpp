#include "control/shooting/sweeps.h"

#include <algorithm>

#include "control/shooting/shooting_problem.h"
#include "core/base/stopwatch.h"

namespace keydrape {
namespace {

// With the forces, where derivatives need them.
size_t state_bytes(const Trajectory& run) {
  const auto size = static_cast<size_t>(run.states.front().x.size());
  return (2 * run.states.size() + run.forces.size()) * size * sizeof(double);
}

}  // namespace

LinearizedTrajectory& Sweeps::linearized() {
  if (linearized_) return *linearized_;
  ShootingWork& work = problem_.work();
  const TimedScope timed(work.linearize_s);
  size_t states = state_bytes(run_);
  const size_t budget = problem_.memory_budget_bytes();
  if (problem_.channels()) {
    channels_ = std::make_unique<ChannelDerivatives>(*problem_.channels(), simulator_, run_, drape_);
    states += channels_->memory_bytes();
  }
  ShootingObserver* observer = problem_.observer();
  LinearizedTrajectory::Observer on_step;
  if (observer) on_step = [observer] { observer->on_sweep_step(); };
  linearized_ = std::make_unique<LinearizedTrajectory>(
      simulator_, run_, budget > states ? budget - states : 0, problem_.scratch(), std::move(on_step));
  work.trajectory_bytes = std::max(work.trajectory_bytes, states + linearized_->memory_bytes());
  work.kept = linearized_->counts();
  return *linearized_;
}

void Sweeps::release() {
  if (!linearized_) return;
  problem_.work().factorizations += linearized_->factorizations();
  problem_.work().indefinite_steps = linearized_->indefinite_count();
  linearized_.reset();
  channels_.reset();
}

void Sweeps::tell_failure() const {
  if (problem_.observer()) problem_.observer()->on_no_derivatives(*linearized_->failure());
}

std::optional<FeedbackTangent> Sweeps::tangent(const Feedback& feedback, const VecX& w, const Face* face,
                                               SolveAccuracy accuracy) {
  LinearizedTrajectory& trajectory = linearized();
  const TimedScope timed(problem_.work().tangent_s);
  ++problem_.work().tangent_sweeps;
  std::optional<FeedbackTangent> change =
      feedback_tangent(trajectory, {problem_.layout(), feedback, face, channels_.get(), accuracy}, w);
  if (!change) tell_failure();
  return change;
}

std::optional<VecX> Sweeps::adjoint(const Feedback& feedback, const std::vector<StateVector>& seeds,
                                    const VecX& z_bar, const Face* face, SolveAccuracy accuracy) {
  LinearizedTrajectory& trajectory = linearized();
  const TimedScope timed(problem_.work().adjoint_s);
  ++problem_.work().adjoint_sweeps;
  std::optional<VecX> w_bar = feedback_adjoint(
      trajectory, {problem_.layout(), feedback, face, channels_.get(), accuracy}, seeds, z_bar);
  if (!w_bar) tell_failure();
  return w_bar;
}

}  // namespace keydrape
