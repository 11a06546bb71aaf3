#pragma once

#include <vector>

#include "control/trajectory.h"

namespace keydrape {

// A take repeated. Where cloth can settle in several ways within a step, its forces alone do not say which
// way was meant: the positions after every step do.
struct Replay {
  Trajectory trajectory;
  int repeated_steps = 0;  // that end where the take says, to the bit
};

// Runs `forces` from `start` along the take: positions [m] (3n) at the start and after every step. A step
// that the take's positions solve (core's equation (3), to the tolerance that Newton would stop at) ends
// there. Newton solves all others anew, beginning at the take's positions where that is of use (linearised
// steps are simply made again). Stops as rollout() does. Requires take.size() > 0; one step for each further
// entry is made.
Replay replay(const Simulator& simulator, const State& start, const ForceSchedule& forces,
              const std::vector<VecX>& take, const StepObserver& observer = {});

}  // namespace keydrape
