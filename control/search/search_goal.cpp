#include "control/search/search_goal.h"

#include <utility>

#include "control/shooting/shooting_iterate.h"

namespace keydrape {

void SearchGoal::open(const std::vector<KeyframeMiss>& uncontrolled, GoalAdaptation::Observer on_change) {
  const Task& task = context_.task().task;
  const GoalState& first = *problem_.objective().first_goal();
  if (task.effort.automatic)
    tolerances_.emplace(problem_, first, aimed_tolerances(task.targets), uncontrolled);
  if (tolerances_) tolerances_->allow_after_met(context_.options.iterations_for_less(task));
  if (tolerances_ && task.effort.even) tolerances_->keep_forces_even();
  if (first.is_adaptive()) adaptation_.emplace(problem_, tolerances(), std::move(on_change));
}

GoalPointer SearchGoal::first(const ShootingIterate& free) {
  GoalPointer goal = problem_.objective().first_goal();
  if (tolerances_) goal = tolerances_->first_goal(*goal);
  if (adaptation_ && free.is_complete()) goal = with_first_states(problem_, *goal, free.trajectory());
  return goal;
}

GoalPointer SearchGoal::restored(const SearchState& state) {
  if (tolerances_ && state.weight_memory) tolerances_->remember(*state.weight_memory);
  const GoalState& first = *problem_.objective().first_goal();
  GoalPointer goal = tolerances_ ? tolerances_->with(first, state.weight_factors)
                                 : with_factors(first, state.weight_factors);
  return adaptation_ ? with_choices(*goal, state.keyframe_states, state.matched) : goal;
}

GoalPolicy* SearchGoal::policy() {
  if (adaptation_) return &*adaptation_;
  return tolerances();
}

double SearchGoal::merit(const ShootingIterate& at) const {
  if (!at.is_complete()) return at.objective();
  return tolerances_ ? tolerances_->merit(at) : at.adapted_objective();
}

bool SearchGoal::is_met_by(const ShootingIterate& run) const {
  return tolerances_ && run.is_complete() && tolerances_->all_met(run.misses());
}

bool SearchGoal::is_dear_miss(const ShootingIterate& nearer, const ShootingIterate& run) const {
  return tolerances_ && nearer.is_complete() && run.is_complete() && !is_met_by(nearer) &&
         tolerances_->is_dear(nearer, run);
}

const std::vector<double>& SearchGoal::weight_factors() const {
  return tolerances_ ? tolerances_->factors() : problem_.objective().first_goal()->weight_factors;
}

std::optional<ToleranceWeights::Memory> SearchGoal::memory() const {
  if (!tolerances_) return std::nullopt;
  return tolerances_->memory();
}

}  // namespace keydrape
