#pragma once

#include <functional>

#include "control/run/steering.h"

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

// The rest of a rollout, up to step `step_count`, behind the steps that `trajectory` has; at least its start.
// To the bits of a rollout in one piece, if these are a multiple of kStepsBetweenClearStarts.
void continue_rollout(const Simulator& simulator, Trajectory& trajectory, const ForceSchedule& forces,
                      int step_count, const StepObserver& observer = {});

}  // namespace keydrape
