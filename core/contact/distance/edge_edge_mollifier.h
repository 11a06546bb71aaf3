#pragma once

#include "core/base/types.h"

namespace keydrape {

// Switches the barrier of two edges off as they become parallel, where their distance has a kink (Li et al.
// 2020, "Incremental potential contact", eq. 24):
//   m = (2 - s/epsilon) s/epsilon   for s < epsilon, 1 beyond,   s = |(x1 - x0) x (x3 - x2)|^2     (G7)
struct EdgeEdgeMollifier {
  double threshold;  // epsilon [m^4]

  // epsilon = 1e-3 |x1 - x0|^2 |x3 - x2|^2 of the edges at rest, as in the paper.
  static EdgeEdgeMollifier from_rest(const Stencil<4>& x_rest);

  bool is_active(const Stencil<4>& x) const;             // m < 1
  double value(const Stencil<4>& x) const;               // in [0, 1]
  Stencil<4> gradient(const Stencil<4>& x) const;        // [1/m]
  StencilHessian<4> hessian(const Stencil<4>& x) const;  // [1/m^2], exact
};

}  // namespace keydrape
