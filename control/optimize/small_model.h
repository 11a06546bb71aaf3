#pragma once

#include "core/base/types.h"

namespace keydrape {

// A quadratic model g.c + 1/2 c.A c of few variables, A symmetric and not negative.
struct SmallModel {
  VecX g;
  Eigen::MatrixXd A;

  struct Minimum {
    VecX c;
    double fall = 0.0;         // of the model
    bool on_boundary = false;  // the model would rather be farther away
  };
  // Over |c| <= radius, which may be infinite (Nocedal & Wright 2006, section 4.3). Along directions without
  // curvature, to rounding, c is 0 where nothing bounds it. The fall is not finite where the model is not.
  Minimum minimize(double radius) const;

  // The model of one variable more. `coupling`: a_i,K+1 (K + 1)
  void append(double slope, const VecX& coupling);
};

}  // namespace keydrape
