#pragma once

#include <vector>

#include "core/step/newton.h"
#include "core/step/round_history.h"
#include "core/step/round_matrix.h"

namespace keydrape {

// Where the rounds of a step begin.
enum class RoundsBegin {
  kStart,     // x
  kInertial,  // x + h v
  kFalling,   // x~ = x + h v + h^2 g, moving frames left out
};

// A step that is not solved: K rounds with one matrix P (core/step/EQUATIONS.md (R1), (R2)),
//   y_(k+1) = y_k - alpha_k P^-1 S r(y_k)
struct RoundsOptions {
  RoundsBegin begin = RoundsBegin::kFalling;
  int rounds = 1;          // at most, > 0; it ends where the residual is below the tolerance
  double tolerance = 0.0;  // of |r|, over |M g_0|
  int memory = 0;          // rounds before that make P better, >= 0  (R11)
  bool searches = true;    // alpha: as far as Phi falls enough (Armijo); else 1
  // Of loose parts, what P takes from it (R6). Requires one round from the start.
  bool keeps_rotation = false;
};

// What derivatives need of a step's rounds.
struct RoundsRecord {
  std::vector<VecX> y;        // y_0 .. y_(K-1)
  std::vector<VecX> r;        // r(y_0) .. r(y_(K-1)), filtered
  std::vector<double> share;  // alpha_k, counted as constants
};

// Takes the rounds. The report calls the step converged whatever is left: `residual` says that, `iterations`
// are rounds, `cuts` those that went a part of their way. Requires implicit Euler, a potential that is finite
// everywhere, and P of its constraints. `record`: added to, null: none.
NewtonResult take_rounds(const StepProblem& problem, const MatrixOfStep& matrix, const RoundsOptions& options,
                         RoundsRecord* record = nullptr);

}  // namespace keydrape
