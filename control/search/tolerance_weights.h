#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "control/goal/objective.h"
#include "control/shooting/shooting_problem.h"

namespace keydrape {

// How far a keyframe may be missed. Infinite: that part of the miss does not count.
struct KeyframeTolerance {
  double rms;                                                     // of positions [m], > 0
  double velocity_rms = std::numeric_limits<double>::infinity();  // [m/s], > 0

  // The larger of the two misses, over their tolerances: 1 and less is within them.
  double share(const KeyframeMiss& miss) const {
    return std::max(miss.rms / rms, miss.velocity_rms / velocity_rms);
  }
};

// Least effort that brings every keyframe within its tolerance: weights of the keyframes that follow from
// tolerances (control/README.md, equations (E1) to (E3)). They start from the closed form of a free particle
// and from what a steered run cost, and are revised on the way, from what the search's linear model predicts.
class ToleranceWeights final : public Reviser {
 public:
  // `tolerances`: one a keyframe, infinite where it has no weight. `uncontrolled`: the misses without forces,
  // NaN where unknown. Sets the objective's weight factors. `problem`, and `objective`, which is the
  // problem's, outlive this. Requires an effort > 0.
  ToleranceWeights(ShootingProblem& problem, Objective& objective, std::vector<KeyframeTolerance> tolerances,
                   const std::vector<KeyframeMiss>& uncontrolled);

  // Raises the weights to what the effort of a run that comes near the keyframes suggests.  (E2)
  void learn_from(ShootingIterate& steered);

  // The more promising of two steered runs, of which one is complete: that which the objective prefers with
  // the weights that the cheaper one suggests. Learns from it.
  ShootingIterate& choose_start(ShootingIterate& a, ShootingIterate& b);

  Revision reconsider(Point& at, const VecX& step) override;
  bool ends_at(const Point& at, const Point* trial) override;
  // Raises the weights of missed goals where that makes the goal prefer a run that comes nearer to them. (E6)
  bool prefers(Point& at, Point& correction) override;
  Revision revise(Point& at, StepKind last_step) override;
  // The same where no model predicts: from the misses of a run at which the objective has come to rest.
  Revision revise_at_rest(ShootingIterate& at);

  // What revisions remember from one iteration to the next beside the weights: so many numbers, and so many
  // for each group of keyframes with a weight in common.
  static constexpr int kMemory = 2, kMemoryOfGoal = 4;
  std::vector<double> memory() const;
  // Requires as many.
  void remember(const std::vector<double>& memory);

  // The RMS misses that it aims at, one a keyframe [m].
  std::vector<double> aims() const;
  bool all_met(const std::vector<KeyframeMiss>& misses) const;
  // How good a run is, less being better: below 1 and rising with the effort where every tolerance is met,
  // else the number of goals that are missed and, below 1, how far they are.  (E4)
  double merit(const ShootingIterate& at) const;

 private:
  // Keyframes whose weights rise and fall together (Keyframe::goal), by the largest of their misses. All
  // misses are shares of tolerances.
  struct Goal {
    std::vector<size_t> keyframes;
    double uncontrolled = 0.0;  // miss without forces
    double response = 0.0;      // R_k of (E1)
    double first_factor = 1.0;  // that it began with, by (E1)
    // Predictions at which its weight was changed: raised last in this iteration, and from which factor;
    // lowered last, if not raised since.
    double raised_at = 0.0;  // 0: not raised
    double raised_from = 0.0;
    double lowered_at = 0.0;  // 0: not lowered
    // Iterations in a row in which a raise was in vain, what it left of the prediction at last, and the
    // factor before the first of them.
    int vain_raises = 0;
    double vain_at = 0.0;
    double vain_from = 0.0;
  };
  size_t last(const Goal& goal) const;  // of its keyframes, the latest
  bool is_near_without_forces(const Goal& goal) const;
  double miss_of(const Goal& goal, const std::vector<KeyframeMiss>& misses) const;
  double factor_of(const Goal& goal) const { return objective_.weight_factors()[goal.keyframes.front()]; }
  double factor_for(const Goal& goal, double expected, double miss) const;  // (E3)
  // How hard it pulls at its aim at factor 1: derivative of its term in J by a miss in units of the cloth's
  // size. 0 without weight or tolerance.
  double pull_of(const Goal& goal) const;
  // The factor with which it pulls as hard as the strongest. Requires a pull.
  double equal_factor(const Goal& goal) const;
  // Whether the last raise of a weight in this iteration has left the prediction where it was.
  bool is_in_vain(const Goal& goal, double expected) const;
  // Whether raises were in vain so often that no more are tried.
  bool is_given_up(const Goal& goal, double expected) const;
  // Counts a raise that was in vain, and forgets them where one was not. Whether this was one too many: the
  // weight goes back to where it was before them.
  bool judge_raise(Goal& goal, double expected);
  // Whether the miss is needlessly small for the weight to stay.
  bool is_too_small(const Goal& goal, double expected, double miss) const;
  // Whether lowering the weight left the prediction where it was: another goal asks for the same.
  bool is_lowered_in_vain(const Goal& goal, double expected) const;
  Revision revise(ShootingIterate& at, const std::vector<KeyframeMiss>& expected, StepKind last_step);

  ShootingProblem& problem_;
  Objective& objective_;
  std::vector<KeyframeTolerance> tolerances_;
  std::vector<Goal> goals_;
  int missed_since_ = -1;  // iterates since every tolerance was met; -1: they never were
  double met_cost_ = 0.0;  // of the iterate at hand, if it meets every tolerance and none too well; else 0
};

// A free particle at weight factor 1, pushed from the goal before to keyframe k at `state`, is left with the
// share 1/(1 + response) of its miss: of positions, or of velocities where they alone have weight.
double free_particle_response(const ShootingProblem& problem, int k, int state);  // (E1)

}  // namespace keydrape
