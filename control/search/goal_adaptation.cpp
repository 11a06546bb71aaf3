#include "control/search/goal_adaptation.h"

#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "control/search/free_particle.h"
#include "control/shooting/shooting_iterate.h"

namespace keydrape {
namespace {

// Changes of the goal below this share of it are the search's own progress, not another goal.
constexpr double kNoticeable = 0.01;

}  // namespace

bool GoalAdaptation::adapt_goal_of(ShootingIterate& at) {
  assert(at.is_complete());
  AdaptedGoal next = adapted(at.goal(), at.trajectory(), problem_.objective().options().length);
  GoalChange change{next.moved_keyframes, at.objective(), 0.0};
  at.measure_by(std::move(next.goal));
  change.objective_after = at.objective();
  if (observer_) observer_(change, at);
  return change.moved_keyframes > 0 ||
         std::abs(change.objective_after - change.objective_before) > kNoticeable * change.objective_before;
}

Verdict GoalAdaptation::after_step(Point& point, StepKind last_step) {
  const bool changed = adapt_goal_of(static_cast<ShootingIterate&>(point));
  const Verdict next = next_ ? next_->after_step(point, last_step) : Verdict::kNone;
  if (next != Verdict::kNone) return next;
  return changed ? Verdict::kChanged : Verdict::kAdapted;
}

GoalPointer with_first_states(const ShootingProblem& problem, const GoalState& goal,
                              const Trajectory& free_run) {
  const StateSource states = states_of(free_run);
  const double length = problem.objective().options().length, effort = problem.objective().options().effort;
  std::vector<int> choices;
  for (std::size_t k = 0; k < goal.keyframes.size(); ++k) {
    const Keyframe& keyframe = goal.keyframes[k];
    int best = keyframe.state;
    double least = std::numeric_limits<double>::infinity();
    for (const int state : keyframe.candidates) {
      Keyframe there = keyframe;
      there.state = state;
      there.candidates.clear();
      const KeyframeMiss off = measure_miss(there, states, length);
      const bool is_of_velocity = keyframe.weight <= 0.0 && keyframe.velocity_weight > 0.0;
      const double miss = is_of_velocity ? off.velocity_rms : off.rms;
      const double gain = free_particle_gain(problem, goal, k, state);
      // Over the effort, which may be 0: then what a push takes decides.
      const double left = miss > 0.0 ? miss * miss / (effort + goal.weight_factors[k] * gain) : 0.0;
      if (left >= least) continue;
      least = left;
      best = state;
    }
    choices.push_back(best);
  }
  return adapted_at(goal, free_run, choices, length);
}

}  // namespace keydrape
