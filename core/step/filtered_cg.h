#pragma once

#include "core/constraint/hard_pin.h"
#include "core/linear/block_matrix.h"

namespace keydrape {

struct FilteredCgOptions {
  double tolerance = 1e-3;  // of r in the norm of Q, against b or the first r, whichever is larger
  int max_iterations = 1000;
};

struct FilteredCgReport {
  int iterations = 0;      // products with A, without that of the first residual
  bool converged = false;  // to the tolerance
};

// Solves A x = b over the free directions of `constraints` while the held ones are those of z,
//   S (A x - b) = 0 ,   (I - S) x = (I - S) z ,
// without a factor: conjugate gradients filtered by S (Baraff & Witkin 1998, section 5.3), whose
// preconditioner commutes with S, so that they are plain ones on S A S (Ascher & Boxerman 2003):
//   Q_i = S_i (S_i A_ii S_i + (I - S_i) s_i)^-1 S_i     a block for each vertex, s_i = tr(A_ii)/3     (J3)
// Exact on held directions after any number of iterations. A: symmetric, positive definite over the free
// directions, without constraints; where a direction proves otherwise, x is what it is so far. b, z, x: 3n;
// x is none of the others.
FilteredCgReport solve_filtered(const BlockMatrix& A, const VecX& b, const StepConstraints& constraints,
                                const FilteredCgOptions& options, const VecX& z, VecX& x);

}  // namespace keydrape
