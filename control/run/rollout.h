#pragma once

#include <functional>
#include <memory>

#include "control/run/steering.h"
#include "core/step/step_workspace.h"

namespace keydrape {

// Told after every step of a rollout, converged or not. Returns whether to go on; may throw to
// abandon the run.
using StepObserver = std::function<bool(int step, const StepReport& report)>;

// Runs `step_count` steps from `start`. Stops after the first step that does not converge: the trajectory
// then ends with that step's best iterate, and its last report says why. Stops early where `observer`, unless
// empty, says so.
Trajectory rollout(const Simulator& simulator, const StepFrom& start, const ForceSchedule& forces,
                   int step_count, const StepObserver& observer = {});
Trajectory rollout(const Simulator& simulator, const StepFrom& start, Steering& steering, int step_count,
                   const StepObserver& observer = {});

// A step whose number is a multiple of this begins without the factor of the step before it. So a trajectory
// that ends there is all that its continuation depends on.
inline constexpr int kStepsBetweenClearStarts = 16;

// Steps that follow one another, for whoever takes them one by one: with what one hands to the next, they
// have the bits of a rollout. A step that has not converged hands on nothing.
class StepSequence {
 public:
  // `simulator` outlives it.
  explicit StepSequence(const Simulator& simulator) : simulator_(simulator) {}

  // Step n, under the forces u [N] (3n); `expected` as NewtonHints.
  StepResult step(int n, const StepFrom& from, const VecX& u, const VecX* expected = nullptr);
  // What others take in its place hands on as much.
  void hand_on(int n, StepResult& result);
  StepWorkspace& workspace() { return work_; }

 private:
  const Simulator& simulator_;
  StepWorkspace work_;
  std::unique_ptr<SingleFactor> factor_;
};

// The rest of a rollout, up to step `step_count`, behind the steps that `trajectory` has; at least its start.
// To the bits of a rollout in one piece, if these are a multiple of kStepsBetweenClearStarts.
void continue_rollout(const Simulator& simulator, Trajectory& trajectory, const ForceSchedule& forces,
                      int step_count, const StepObserver& observer = {});

// Gives a trajectory that came without its forces, from a file or in parts, those that it was made with,
// where its derivatives need them (Trajectory::forces).
void recall_forces(const Simulator& simulator, const ForceSchedule& forces, Trajectory& trajectory);

}  // namespace keydrape
