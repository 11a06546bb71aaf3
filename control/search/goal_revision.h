#pragma once

#include <functional>

#include "control/goal/objective.h"
#include "control/shooting/shooting_problem.h"

namespace keydrape {

// What adapting the goal to a run has changed.
struct GoalChange {
  int moved_keyframes = 0;  // to another state
  double objective_before = 0.0, objective_after = 0.0;
};

// Between the iterations of an optimiser, adapts what keyframes leave open to the iterate that it goes on
// from (K3), (K4); within an iteration the goal is fixed and smooth. May be followed by another reviser, such
// as ToleranceWeights, which then sees the adapted goal.
class GoalRevision final : public Reviser {
 public:
  using Observer = std::function<void(const GoalChange&)>;

  // `objective`: that of the problem whose points it is told of. `next` may be null. All outlive it.
  GoalRevision(Objective& objective, Reviser* next, Observer observer)
      : objective_(objective), next_(next), observer_(std::move(observer)) {}

  // Once; requires a complete run. Whether a keyframe has moved or the objective has changed noticeably.
  bool adapt_to(ShootingIterate& at);

  Revision reconsider(Point& at, const VecX& step) override {
    return next_ ? next_->reconsider(at, step) : Revision::kNone;
  }
  bool ends_at(const Point& at, const Point* trial) override { return next_ && next_->ends_at(at, trial); }
  bool prefers(Point& at, Point& correction) override { return next_ && next_->prefers(at, correction); }
  Revision revise(Point& at, StepKind last_step) override;

 private:
  Objective& objective_;
  Reviser* next_;
  Observer observer_;
};

// Adapts the goal to a run without forces, with those of the candidates to begin with at which a free
// particle would have the smallest goal left after it was pushed as much as pays.  (K5)
void choose_first_states(const ShootingProblem& problem, Objective& objective, const Trajectory& free_run);

}  // namespace keydrape
