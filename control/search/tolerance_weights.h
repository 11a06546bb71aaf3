#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "control/goal/change_prices.h"
#include "control/goal/goal_state.h"
#include "control/goal/peak_prices.h"
#include "control/goal/tolerance.h"
#include "control/optimize/optimizer.h"
#include "control/search/farthest_vertices.h"
#include "control/search/weight_course.h"

namespace keydrape {

// Iterates that miss what one before had met, on a way to less effort. Those on their way back are none too
// many: each is nearer than all before it, and the next may be within again.
struct MissedAgain {
  int count = 0;                    // that came no nearer, the first among them
  std::optional<double> nearest{};  // least merit; none: there was none

  // Of the next one, of this merit (E4): whether it is one more than `allowed`.
  bool is_one_too_many(double merit, int allowed) {
    const bool is_nearer = nearest && merit < *nearest;
    nearest = std::min(merit, nearest.value_or(merit));
    return !is_nearer && ++count > allowed;
  }
};

class ShootingIterate;
class ShootingProblem;

// Least effort that brings every keyframe within its tolerance: weights of the keyframes that follow from
// tolerances (control/EQUATIONS.md (E1) to (E8)). They start from the closed form of a free particle and from
// what a steered run cost, and change on the way with what the search's linear model predicts (WeightCourse).
class ToleranceWeights final : public GoalPolicy {
 public:
  static constexpr double kAim = 0.8;           // of a tolerance: the miss that is aimed at
  static constexpr double kMostWhereMet = 0.5;  // no merit is above it where what was asked is met
  // Predictions within this factor of the aim leave a weight alone between iterations.
  static constexpr double kCloseEnough = 1.1;
  // `goal`: what the search begins with. `tolerances`: one a keyframe, infinite where it has no weight.
  // `uncontrolled`: the misses without forces, NaN where unknown. `problem` outlives this. Requires an
  // effort > 0.
  ToleranceWeights(const ShootingProblem& problem, const GoalState& goal,
                   std::vector<KeyframeTolerance> tolerances, const std::vector<KeyframeMiss>& uncontrolled);

  // From now on forces that stand out get dear.  (E8)
  void keep_forces_even();

  // How many iterations may follow the first that meets what was asked for.
  void allow_after_met(int iterations) { most_after_met_ = iterations; }

  // The goal with the weights to begin with.  (E1)
  GoalPointer first_goal(const GoalState& goal);
  // The goal with weights that come from elsewhere: a checkpoint, or a coarser level, whose search has been
  // through low prices (all_changes_count).
  GoalPointer with(const GoalState& goal, std::vector<double> factors);
  void all_changes_count() { prices_.begin_with_all(); }
  // The weights that were set last.
  const std::vector<double>& factors() const { return factors_; }

  // Raises the weights of a run that comes near the keyframes to what its effort suggests.  (E2)
  void learn_from(ShootingIterate& steered);
  // The more promising of two steered runs, of which one is complete: that which the goal prefers with the
  // weights that the cheaper one suggests. Learns from it: the search goes on with its goal.
  ShootingIterate& choose_start(ShootingIterate& a, ShootingIterate& b);
  // The goal's value for a over that for b, by which they are chosen; both are measured by it from now on.
  double compare_starts(ShootingIterate& a, ShootingIterate& b);

  Verdict before_trial(Point& at, const Proposal& proposed) override;
  // Where it is predicted to be about within what was asked for, or all is met: a miss that further vectors
  // would take away is no sign of too small a weight. Requires an image.
  bool is_enough(Point& at, const Proposal& proposed) override;
  bool should_end() override { return met_cost_ > 0.0; }
  bool is_spent() const override { return after_met_ > most_after_met_; }
  // Raises the weights of missed targets where that makes the goal prefer a run that comes nearer.  (E6)
  bool accepts_correction(Point& at, Point& correction) override;
  Verdict after_step(Point& at, StepKind last_step) override;
  // The same where no model predicts: from the misses of a run at which the objective has come to rest.
  Verdict after_rest(ShootingIterate& at);

  // As long as no iterate met all: the best of those that meet what was asked.
  struct BestMet {
    double merit = kMostWhereMet;
    double cost = 0.0;   // of its forces as they are, whatever their prices
    int no_better = 0;   // iterates since that meet it, and are no better
    MissedAgain lost{};  // iterates since that miss it
  };
  // What is remembered from one iteration to the next, beside the weights.
  struct Memory {
    std::optional<MissedAgain> since_met{};  // every tolerance; none: they never were
    double met_cost = 0.0;  // of the iterate at hand, if it meets what was asked, and not too well; else 0
    double cost_when_met = 0.0;  // of the last iterate that met every tolerance
    BestMet best_met{};
    int after_met = 0;                               // iterates since one met what was asked, itself included
    std::vector<WeightCourse::Memory> targets;       // one for each target_id
    std::vector<FarthestVertices::Memory> farthest;  // one a keyframe
    ChangePrices::Memory prices{};
    PeakPrices::Memory peaks{};
  };
  Memory memory() const;
  // Requires as many targets.
  void remember(const Memory& memory);

  // Within every tolerance, and no vertex farther off than wanted, but where that was given up.
  bool all_met(const std::vector<KeyframeMiss>& misses) const { return all_met(misses, wanted_); }
  // How good a run is, less being better: below 1/2 and rising with the effort where every tolerance is met,
  // where single vertices are farther off than wanted, but not than asked for, as if forces were twice as
  // large; else the number of targets that are missed and, below 1, how far they are.  (E4)
  double merit(const ShootingIterate& at) const;
  // Whether a run that comes nearer than another, which has forces, costs too much for that.  (E6)
  bool is_dear(const ShootingIterate& nearer, const ShootingIterate& at) const;

 private:
  // Keyframes whose weights rise and fall together (Keyframe::target_id), by the largest of their misses. All
  // misses are shares of tolerances.
  struct Target {
    std::vector<std::size_t> keyframes;
    double uncontrolled = 0.0;  // miss without forces
    double response = 0.0;      // R_k of (E1)
    double first_factor = 1.0;  // that it began with, by (E1)
    WeightCourse course{};
  };
  std::size_t last(const Target& target, const GoalState& goal) const;  // of its keyframes, the latest
  bool is_met_without_forces(const Target& target) const;
  double miss_of(const Target& target, const std::vector<KeyframeMiss>& misses) const;
  // Of its farthest vertex, over what is wanted: as asked for, or also as it is pursued and not given up.
  enum class Wanted { kAsked, kPursued };
  double farthest_of(const Target& target, const std::vector<KeyframeMiss>& misses, Wanted wanted) const;
  bool all_met(const std::vector<KeyframeMiss>& misses, Wanted wanted) const;
  // Raises the pull at vertices that are farther off than wanted, of keyframes within their tolerances.
  // Whether any was.
  bool pursue_farthest(const ShootingIterate& at, const std::vector<KeyframeMiss>& misses);
  // As long as no run meets all: whether those since the best that meets what was asked pursue vertices in
  // vain, or miss what was asked too often. Remembers this one.
  bool pursues_in_vain(const ShootingIterate& at);
  // Counts this one, if it or one before has met what was asked for.
  void count_after_met(const std::vector<KeyframeMiss>& misses);
  // How many iterates may miss again what one of cost `before` met; `cost`: of the last of them.
  static int may_miss_again(double cost, double before);
  // Of this merit. Whether it is the best so far of those that meet what was asked.
  bool remember_if_best(const ShootingIterate& at, double merit);
  // A factor, the miss that the model expected of it, and the one that came or is at hand.
  struct Standing {
    double factor, expected, miss;
  };
  double factor_for(const Target& target, const Standing& now, double aim = kAim) const;  // (E3)
  // How hard it pulls at its aim at factor 1: derivative of its term in J by a miss in units of the cloth's
  // size. 0 without weight or tolerance.
  double pull_of(const Target& target, const GoalState& goal) const;
  // The factor with which it pulls as hard as the strongest. Requires a pull.
  double equal_factor(const Target& target, const GoalState& goal) const;  // (E5)
  // Whether there are others, and none of them is missed.
  bool is_alone(const Target& target, const std::vector<KeyframeMiss>& misses) const;
  // Whether the miss is needlessly small for the weight to stay.
  bool is_too_small(const Target& target, const Standing& now) const;
  // Where all is met, before a trial of which the model predicts these misses and this cost of forces.
  Verdict judge_saving(ShootingIterate& at, const Proposal& proposed,
                       const std::vector<KeyframeMiss>& expected, double cost);
  // Lowers weights of targets that would be held closer than they need be. Whether there were any.
  bool let_go(ShootingIterate& at, const std::vector<KeyframeMiss>& expected);
  // The factor after a step.
  double next_factor(Target& target, const Standing& now, StepKind last_step);
  Verdict after_step(ShootingIterate& at, const std::vector<KeyframeMiss>& expected, StepKind last_step);

  const ShootingProblem& problem_;
  std::vector<KeyframeTolerance> tolerances_;
  // What nobody asked for does not outweigh prices of changes, which somebody did.
  Wanted wanted_;
  std::vector<Target> targets_;
  std::vector<double> factors_;  // that were set last, one a keyframe
  std::vector<FarthestVertices> farthest_;
  std::optional<MissedAgain> since_met_;
  double met_cost_ = 0.0, cost_when_met_ = 0.0;
  BestMet best_met_;
  int after_met_ = 0, most_after_met_ = std::numeric_limits<int>::max();
  ChangePrices prices_;
  std::optional<PeakPrices> peaks_;  // none: forces may be as uneven as is cheapest
};

}  // namespace keydrape
