#include "control/search/goal_revision.h"

#include <cassert>
#include <cmath>
#include <limits>

#include "control/search/tolerance_weights.h"

namespace keydrape {

namespace {

// Changes of the goal below this share of it are the search's own progress, not another goal.
constexpr double kNoticeable = 0.01;

}  // namespace

bool GoalRevision::adapt_to(ShootingIterate& at) {
  assert(at.is_complete());
  GoalChange change{0, at.objective(), 0.0};
  change.moved_keyframes = objective_.adapt_to(at.trajectory());
  at.objective_changed();
  change.objective_after = at.objective();
  if (observer_) observer_(change);
  return change.moved_keyframes > 0 ||
         std::abs(change.objective_after - change.objective_before) > kNoticeable * change.objective_before;
}

Revision GoalRevision::revise(Point& point, StepKind last_step) {
  const bool changed = adapt_to(static_cast<ShootingIterate&>(point));
  const Revision next = next_ ? next_->revise(point, last_step) : Revision::kNone;
  if (next != Revision::kNone) return next;
  return changed ? Revision::kChanged : Revision::kAdapted;
}

void choose_first_states(const ShootingProblem& problem, Objective& objective, const Trajectory& free_run) {
  const StateSource states = [&](int n) { return free_run.states[n]; };
  std::vector<int> choices;
  for (std::size_t k = 0; k < objective.keyframes().size(); ++k) {
    const Keyframe& keyframe = objective.keyframes()[k];
    int best = keyframe.state;
    double least = std::numeric_limits<double>::infinity();
    for (const int state : keyframe.candidates) {
      Keyframe there = keyframe;
      there.state = state;
      there.candidates.clear();
      const KeyframeMiss off = measure_miss(there, states);
      const double miss = keyframe.weight > 0.0 ? off.rms : off.velocity_rms;
      const double response = free_particle_response(problem, static_cast<int>(k), state);
      const double left = miss * miss / (1.0 + objective.weight_factors()[k] * response);
      if (left >= least) continue;
      least = left;
      best = state;
    }
    choices.push_back(best);
  }
  objective.adapt_to(free_run, choices);
}

}  // namespace keydrape
