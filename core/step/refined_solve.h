#pragma once

#include "core/linear/single_factor.h"
#include "core/linear/symmetric_matrix.h"

namespace keydrape {

class StepConstraints;

struct RefinedReport {
  int iterations = 0;    // products with H, all but those of a restart with a solve by the factor
  bool reached = false;  // the residual is that of a solve in double precision, or as small as is enough
};

// Solves H x = b over the free directions of `constraints` to the residual that a factor in
// double precision leaves,
//   |b - H x| <= eps/2 | |H| |x| |      (rounding x alone makes as much; eps: the machine's epsilon)
// by conjugate gradients that H's own factor in single precision preconditions (flexible: Notay 2000, since
// its rounding is not linear). Where condition(H) 6e-8 << 1, as in all cloth seen so far, that is iterative
// refinement: 5 digits an iteration, 3 iterations. H, and so its factor, positive definite; b without
// components along held directions. With enough > 0 a residual of enough |b| will do as well.
RefinedReport solve_refined(const SymmetricMatrix& H, const SingleFactor& factor,
                            const StepConstraints& constraints, const VecX& b, int max_iterations, VecX& x,
                            double enough = 0.0);

}  // namespace keydrape
