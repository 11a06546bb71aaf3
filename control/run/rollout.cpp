#include "control/run/rollout.h"

#include <cassert>
#include <chrono>
#include <memory>
#include <utility>

#include "control/run/replay.h"

namespace keydrape {

namespace {

// As the take has it, while the run keeps to the take.
std::optional<StepResult> step_of_take(const Simulator& simulator, const Steering& steering,
                                       const Trajectory& trajectory, const VecX& u, StepWorkspace& work) {
  const int n = trajectory.step_count();
  const VecX* end = trajectory.replayed_steps == n ? steering.recorded_end(n) : nullptr;
  if (!end) return std::nullopt;
  return replay_step(simulator, n, trajectory.from(n), u, *end, work);
}

// Whether a step that was taken as always, since it could not be checked, ends where the take says: it is not
// solved, or the straight way there is barred, which Newton's way went round.
bool ends_as_taken(const Steering& steering, const Trajectory& trajectory, const StepResult& result) {
  const int n = trajectory.step_count();
  if (trajectory.replayed_steps != n) return false;
  const VecX* end = steering.recorded_end(n);
  return end && *end == result.next.x;
}

void roll_on(const Simulator& simulator, Trajectory& trajectory, Steering& steering, int step_count,
             const StepObserver& observer) {
  using Clock = std::chrono::steady_clock;
  trajectory.states.reserve(step_count + 1);
  StepSequence sequence(simulator);
  VecX u(trajectory.back().x.size());
  for (int n = trajectory.step_count(); n < step_count; ++n) {
    const Clock::time_point begin = Clock::now();
    steering.steer(n, trajectory.back(), u);
    std::optional<StepResult> of_take =
        step_of_take(simulator, steering, trajectory, u, sequence.workspace());
    if (of_take) ++trajectory.replayed_steps;
    const std::optional<VecX> expected = of_take ? std::nullopt : steering.expected(n);
    StepResult result = of_take ? std::move(*of_take)
                                : sequence.step(n, trajectory.from(n), u, expected ? &*expected : nullptr);
    if (of_take) sequence.hand_on(n, result);
    if (ends_as_taken(steering, trajectory, result)) ++trajectory.replayed_steps;
    trajectory.states.push_back(std::move(result.next));
    if (simulator.differentiates_way() && trajectory.forces.size() == trajectory.reports.size())
      trajectory.forces.push_back(u);
    trajectory.reports.push_back(result.report);
    trajectory.seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    const bool go_on = !observer || observer(n, result.report);
    if (!result.report.converged() || !go_on) break;
  }
}

}  // namespace

StepResult StepSequence::step(int n, const StepFrom& from, const VecX& u, const VecX* expected) {
  if (n % kStepsBetweenClearStarts == 0) factor_.reset();
  StepResult result = simulator_.step(n, from, u, {factor_.get(), expected}, work_);
  hand_on(n, result);
  return result;
}

void StepSequence::hand_on(int n, StepResult& result) {
  if (n % kStepsBetweenClearStarts == 0) factor_.reset();
  if (result.report.converged() && result.factor) factor_ = std::move(result.factor);
}

Trajectory rollout(const Simulator& simulator, const StepFrom& start, const ForceSchedule& forces,
                   int step_count, const StepObserver& observer) {
  OpenLoop steering(forces);
  return rollout(simulator, start, steering, step_count, observer);
}

Trajectory rollout(const Simulator& simulator, const StepFrom& start, Steering& steering, int step_count,
                   const StepObserver& observer) {
  assert(step_count >= 0);
  Trajectory trajectory;
  trajectory.states.push_back(start.start);
  if (start.before) trajectory.before = *start.before;
  roll_on(simulator, trajectory, steering, step_count, observer);
  return trajectory;
}

void continue_rollout(const Simulator& simulator, Trajectory& trajectory, const ForceSchedule& forces,
                      int step_count, const StepObserver& observer) {
  assert(!trajectory.states.empty() && trajectory.step_count() <= step_count);
  OpenLoop steering(forces);
  roll_on(simulator, trajectory, steering, step_count, observer);
}

void recall_forces(const Simulator& simulator, const ForceSchedule& forces, Trajectory& trajectory) {
  const auto steps = static_cast<std::size_t>(trajectory.step_count());
  if (!simulator.differentiates_way() || trajectory.forces.size() == steps) return;
  trajectory.forces.assign(steps, VecX(trajectory.back().x.size()));
  for (std::size_t n = 0; n < steps; ++n) forces.force(static_cast<int>(n), trajectory.forces[n]);
}

}  // namespace keydrape
