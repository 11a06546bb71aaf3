#pragma once

#include "core/linear/block_matrix.h"
#include "core/linear/cholesky.h"

namespace keydrape {

class StepConstraints;

struct CgOptions {
  double relative_tolerance = 1e-1;  // |r| <= relative_tolerance |b| ends the iteration
  int max_iterations = 500;
};

enum class CgEnd { kConverged, kNegativeCurvature, kMaxIterations };

struct CgReport {
  CgEnd end = CgEnd::kMaxIterations;
  int iterations = 0;
};

// Solves H x = b by conjugate gradients that an older factor preconditions, over the free directions of
// `constraints`; b has no component along the others. On negative curvature the iterate so far is returned,
// or, if there is none yet, the first search direction: both descend (Steihaug 1983). `curvature_direction`,
// where given, then receives the direction along which the curvature is not positive.
CgReport solve_by_cg(const BlockMatrix& H, const VecX& b, const SingleFactor& preconditioner,
                     const StepConstraints& constraints, const CgOptions& options, VecX& x,
                     VecX* curvature_direction = nullptr);

}  // namespace keydrape
