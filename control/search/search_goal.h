#pragma once

#include <optional>
#include <vector>

#include "control/search/goal_adaptation.h"
#include "control/search/search_context.h"
#include "control/search/tolerance_weights.h"

namespace keydrape {

// What a search does with its goal: with an automatic effort, weights that follow from tolerances; where
// targets leave something open, adaptation to the run at hand.
class SearchGoal {
 public:
  // Both outlive it.
  SearchGoal(const SearchContext& context, const ShootingProblem& problem)
      : context_(context), problem_(problem) {}
  SearchGoal(const SearchGoal&) = delete;
  SearchGoal& operator=(const SearchGoal&) = delete;

  // Once the misses without forces are known, and before anything below. `on_change`: told of adaptations.
  void open(const std::vector<KeyframeMiss>& uncontrolled, GoalAdaptation::Observer on_change);
  // The goal to begin with, chosen for the run without forces if that is complete.
  GoalPointer first(const ShootingIterate& free);
  // The goal as it stood in a checkpoint, whose run this is.
  GoalPointer restored(const SearchState& state);

  ToleranceWeights* tolerances() {
    return tolerances_ ? &*tolerances_ : nullptr;
  }  // null: the effort is a number
  GoalAdaptation* adaptation() {
    return adaptation_ ? &*adaptation_ : nullptr;
  }                      // null: nothing is left open
  GoalPolicy* policy();  // null: the goal stays
  bool may_change() const { return tolerances_ || adaptation_; }
  // Whether it ended its way to less effort for what a run costs.
  bool is_spent() const { return tolerances_ && tolerances_->is_spent(); }
  // How good a run is: less is better.
  double merit(const ShootingIterate& at) const;
  bool is_met_by(const ShootingIterate& run) const;
  // Whether a run that comes nearer than another, but misses, costs more than that is worth.  (E6)
  bool is_dear_miss(const ShootingIterate& nearer, const ShootingIterate& run) const;
  // Of the targets, as they were set last.
  const std::vector<double>& weight_factors() const;
  std::optional<ToleranceWeights::Memory> memory() const;

 private:
  const SearchContext& context_;
  const ShootingProblem& problem_;
  std::optional<ToleranceWeights> tolerances_;
  std::optional<GoalAdaptation> adaptation_;
};

}  // namespace keydrape
