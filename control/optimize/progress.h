#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "control/optimize/optimizer.h"

namespace keydrape {

// A pair of L-BFGS.
struct CorrectionPair {
  VecX s;  // z_k+1 - z_k
  VecX y;  // difference of the gradients
};

// Where an optimiser stands between two iterations: with the point it stands at, and the objective as it is
// now, everything that the next iterations depend on. An optimiser that goes on from here
// (OptimizerOptions::resume) does, bit for bit, what it would have done.
struct OptimizerProgress {
  int iterations = 0;
  int evaluations = 1;
  int cg_iterations = 0;
  double first_gradient_norm = 0.0;  // |gradient| at the start
  std::optional<OptimizerEnd> end;   // that was its last iteration
  // Gauss-Newton.
  double trust_radius = std::numeric_limits<double>::infinity();
  static constexpr std::size_t kRecent = 3;
  std::vector<double> recent_falls;  // of the objective over what it was, in as many iterations
  double model_ratio = 0.0;          // fall of the objective over that of its model, in the last trial
  bool correction_is_due = false;
  bool correction_failed = false;  // since the model led far
  // L-BFGS: in its own variables, which under bounds are the y of (B4).
  VecX variables;       // of the point; its own z may be a projection of them
  VecX best_variables;  // of the best point met
  double best_objective = 0.0, best_gradient_norm = 0.0;
  std::vector<CorrectionPair> pairs;  // oldest first
  int small_falls = 0;                // iterations in a row that hardly lowered the objective
  double step = 0.0;                  // of gradient descent: the last one, over the gradient; 0: none yet
};

}  // namespace keydrape
