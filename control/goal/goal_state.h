#pragma once

#include <memory>
#include <vector>

#include "control/goal/keyframe.h"
#include "control/run/trajectory.h"

namespace keydrape {

// What of the goal changes while it is pursued: how much each keyframe weighs, and what keyframes leave open
// (a frame, nearest points of a surface), as it was chosen for some run. A value: whoever changes it makes
// another one, and every run says by which one it is measured.
struct GoalState {
  std::vector<Keyframe> keyframes;
  std::vector<double> weight_factors;  // one a keyframe, of positions and velocities alike; 1 to begin with
  double change_share = 1.0;           // of what changes of the forces cost, that counts: in (0, 1]
  std::shared_ptr<const VecX> force_prices{};  // one for each y_fi of (5), block by block; null: all 1

  std::vector<int> states() const;  // that keyframes are at, or have chosen
  // Keyframe::matched of each keyframe with a surface, in order. Requires that all have been matched.
  std::vector<VecX> matched() const;
  // That values and choices depend on, ascending.
  std::vector<int> seen_states() const;
  // Whether keyframes leave something open.
  bool is_adaptive() const;
};

// The states of a run, which outlives it.
inline StateSource states_of(const Trajectory& run) {
  return [&run](int n) { return run.states[n]; };
}

// Shared by the runs that are measured by it.
using GoalPointer = std::shared_ptr<const GoalState>;

// The same goal with these factors, one each.
GoalPointer with_factors(const GoalState& goal, std::vector<double> factors);

// Chooses anew, for the states of a run, what keyframes leave open.  (K3), (K4)  `length`: of Objective.
struct AdaptedGoal {
  GoalPointer goal;
  int moved_keyframes;  // with weight, to another state
};
AdaptedGoal adapted(const GoalState& goal, const Trajectory& run, double length);
// The same goal with the choices of another, as its states() and matched() tell them.
GoalPointer with_choices(const GoalState& goal, const std::vector<int>& states,
                         const std::vector<VecX>& matched);
// Adapted, with given states, one for each keyframe: of its candidates, or the one that it has.
GoalPointer adapted_at(const GoalState& goal, const Trajectory& run, const std::vector<int>& states,
                       double length);

}  // namespace keydrape
