#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "control/objective.h"
#include "control/shooting_problem.h"

namespace keydrape {

// How far a keyframe may be missed.
struct KeyframeTolerance {
  double rms;                                                     // of positions [m], > 0
  double velocity_rms = std::numeric_limits<double>::infinity();  // [m/s], > 0

  // The larger of the two misses as positions: of velocities, the share of their tolerance. [m]
  double in_positions(const KeyframeMiss& miss) const {
    return std::max(miss.rms, rms / velocity_rms * miss.velocity_rms);
  }
};

// Least effort that brings every keyframe within its tolerance: weights of the keyframes that follow from
// tolerances (control/README.md, equations (E1) to (E3)). They start from the closed form of a free particle
// and from what a steered run cost, and are revised on the way, from what the search's linear model predicts.
class ToleranceWeights final : public Reviser {
 public:
  // `tolerances`: one a keyframe. `uncontrolled` [m]: the misses without forces, NaN where unknown. Sets the
  // objective's weight factors. `problem`, and `objective`, which is the problem's, outlive this. Requires an
  // effort > 0.
  ToleranceWeights(ShootingProblem& problem, Objective& objective, std::vector<KeyframeTolerance> tolerances,
                   const std::vector<KeyframeMiss>& uncontrolled);

  // Raises the weights to what the effort of a run that comes near the keyframes suggests.  (E2)
  void learn_from(ShootingIterate& steered);

  bool reconsider(Point& at, const VecX& step) override;
  Revision revise(Point& at) override;
  // The same where no model predicts: from the misses of a run at which the objective has come to rest.
  Revision revise_at_rest(ShootingIterate& at);

  // What revisions remember from one iteration to the next beside the weights: one number for each group of
  // keyframes with a weight in common [m].
  std::vector<double> memory() const;
  // Requires as many.
  void remember(const std::vector<double>& memory);

  bool all_met(const std::vector<KeyframeMiss>& misses) const;
  // How good a run is, less being better: below 1 and rising with the effort where every tolerance is met,
  // else the largest miss over its tolerance.
  double merit(const ShootingIterate& at) const;

 private:
  // Keyframes whose weights rise and fall together (Keyframe::goal), by the largest of their misses.
  struct Goal {
    std::vector<size_t> keyframes;
    double tolerance;           // [m]
    double uncontrolled = 0.0;  // [m]
    // Predictions at which its weight was changed [m]: raised in this iteration; lowered last, if not raised
    // since.
    double raised_at = 0.0;   // 0: not raised
    double lowered_at = 0.0;  // 0: not lowered
  };
  size_t last(const Goal& goal) const;  // of its keyframes, the latest
  bool counts(const Goal& goal) const;
  double miss_of(const Goal& goal, const std::vector<KeyframeMiss>& misses) const;
  double factor_of(const Goal& goal) const { return objective_.weight_factors()[goal.keyframes.front()]; }
  double factor_for(const Goal& goal, double expected_miss) const;  // (E3)
  // Whether the last raise of a weight in this iteration has left the prediction where it was.
  bool is_idle(const Goal& goal, double expected_miss) const;
  // Whether the miss is needlessly small, and its weight to blame: not that of another goal that asks for the
  // same.
  bool is_too_small(const Goal& goal, double expected_miss, double miss) const;
  Revision revise(ShootingIterate& at, const std::vector<KeyframeMiss>& expected);

  ShootingProblem& problem_;
  Objective& objective_;
  std::vector<KeyframeTolerance> tolerances_;
  std::vector<Goal> goals_;
};

// A free particle at weight factor 1, pushed from the goal before to keyframe k at `state`, is left with the
// share 1/(1 + response) of its miss.
double free_particle_response(const ShootingProblem& problem, int k, int state);  // (E1)

}  // namespace keydrape
