#pragma once

#include <functional>

#include "control/goal/goal_state.h"
#include "control/optimize/optimizer.h"

namespace keydrape {

class ShootingIterate;
class ShootingProblem;

// What adapting the goal to a run has changed.
struct GoalChange {
  int moved_keyframes = 0;  // with weight, to another state
  double objective_before = 0.0, objective_after = 0.0;
};

// Between the iterations of an optimiser, adapts what keyframes leave open to the iterate that it goes on
// from (K3), (K4); within an iteration the goal is fixed and smooth. May be followed by another policy, such
// as ToleranceWeights, which then sees the adapted goal.
class GoalAdaptation final : public GoalPolicy {
 public:
  // Told after every change, with the run that the goal is adapted to.
  using Observer = std::function<void(const GoalChange&, const ShootingIterate&)>;

  // `next` may be null. Both outlive it.
  GoalAdaptation(const ShootingProblem& problem, GoalPolicy* next, Observer observer)
      : problem_(problem), next_(next), observer_(std::move(observer)) {}

  // Measures a complete run by a goal that is adapted to it. Whether a keyframe has moved or the objective
  // has changed noticeably.
  bool adapt_goal_of(ShootingIterate& at);

  Verdict before_trial(Point& at, const Proposal& proposed) override {
    return next_ ? next_->before_trial(at, proposed) : Verdict::kNone;
  }
  bool is_enough(Point& at, const Proposal& proposed) override {
    return next_ && next_->is_enough(at, proposed);
  }
  bool should_end() override { return next_ && next_->should_end(); }
  bool is_spent() const override { return next_ && next_->is_spent(); }
  bool accepts_correction(Point& at, Point& correction) override {
    return next_ && next_->accepts_correction(at, correction);
  }
  Verdict after_step(Point& at, StepKind last_step) override;

 private:
  const ShootingProblem& problem_;
  GoalPolicy* next_;
  Observer observer_;
};

// The goal adapted to a run without forces, with those of the candidates to begin with at which a free
// particle would have the smallest goal left after it was pushed as much as pays.  (K5)
GoalPointer with_first_states(const ShootingProblem& problem, const GoalState& goal,
                              const Trajectory& free_run);

}  // namespace keydrape
