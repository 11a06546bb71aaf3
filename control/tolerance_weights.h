#pragma once

#include <vector>

#include "control/objective.h"
#include "control/shooting_problem.h"

namespace keydrape {

// Least effort that brings every keyframe within its tolerance: weights of the keyframes that follow from
// tolerances (control/README.md, equations (E1) to (E3)). They start from the closed form of a free particle
// and from what a steered run cost, and are revised on the way, from what the search's linear model predicts.
class ToleranceWeights final : public Reviser {
 public:
  // `tolerances` [m] (one a keyframe, > 0): on the RMS miss. `uncontrolled` [m]: the misses without forces,
  // NaN where unknown. Sets the objective's weight factors. `problem`, and `objective`, which is the
  // problem's, outlive this. Requires an effort > 0.
  ToleranceWeights(ShootingProblem& problem, Objective& objective, std::vector<double> tolerances,
                   const std::vector<KeyframeMiss>& uncontrolled);

  // Raises the weights to what the effort of a run that comes near the keyframes suggests.  (E2)
  void learn_from(ShootingIterate& steered);

  bool reconsider(Point& at, const VecX& step) override;
  Revision revise(Point& at) override;
  // The same where no model predicts: from the misses of a run at which the objective has come to rest.
  Revision revise_at_rest(ShootingIterate& at);

  bool all_met(const std::vector<KeyframeMiss>& misses) const;
  // How good a run is, less being better: below 1 and rising with the effort where every tolerance is met,
  // else the largest miss over its tolerance.
  double merit(const ShootingIterate& at) const;

 private:
  bool counts(size_t k) const { return objective_.keyframes()[k].weight > 0.0; }
  double factor_for(size_t k, double expected_miss) const;  // (E3)
  // Whether the last raise of a weight in this iteration has left the prediction where it was.
  bool is_idle(size_t k, double expected_miss) const;
  Revision revise(ShootingIterate& at, const std::vector<KeyframeMiss>& expected);

  ShootingProblem& problem_;
  Objective& objective_;
  std::vector<double> tolerances_;
  std::vector<double> uncontrolled_;  // [m]
  std::vector<double>
      raised_at_;  // prediction at which a weight was raised in this iteration; 0: not raised [m]
};

// A free particle at weight factor 1, pushed from the keyframe before to keyframe k, is left with the share
// 1/(1 + response) of its miss.
double free_particle_response(const ShootingProblem& problem, int k);  // (E1)

}  // namespace keydrape
