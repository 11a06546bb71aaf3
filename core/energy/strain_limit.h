#pragma once

#include "core/base/animated.h"
#include "core/energy/energy.h"
#include "core/energy/membrane.h"

namespace keydrape {

// Barrier on the principal stretches of a triangle, the singular values of F = [w_u/b_u  w_v/b_v] (Li et al.
// 2021, "Codimensional incremental potential contact", section 4.2, here over their squares;
// core/EQUATIONS.md (L1) to (L4)):
//   W = A kappa ( b(z_1) + b(z_2) ) ,   b(z) = -(z - 1)^2 ln z for z < 1, else 0 ,
//   z_i = (limit^2 - lambda_i) / (limit^2 - onset^2) ,   lambda_i the eigenvalues of F^T F.
// Infinite at the limit, zero up to the onset, twice continuously differentiable; of W(y) convex, so that the
// exact Hessian is positive semidefinite at every y: it is H and H_psd.
struct StrainLimit {
  static constexpr int kVertices = 3;

  struct Shared {
    Animated<Vec2> scale{Vec2(1, 1)};  // b_u, b_v, as in Stretch
  };
  struct Start {
    Vec2 scale;
  };

  std::array<int, 3> vertices;
  RestTriangle rest;
  double stiffness;  // kappa [N/m], > 0
  double onset;      // stretch from which on it resists, > 1
  double limit;      // stretch that it never comes to, > onset
  // The shares of warp, weft and density in kappa, which is linear in each (core/EQUATIONS.md (L5)).
  Vec3 shares = Vec3::Zero();

  Start start(const Shared& shared, const StepStart& step, const StartStencil<3>& at) const;
  double value(const Stencil<3>& y, const Start& s) const;               // infinity at the limit and beyond
  Stencil<3> gradient(const Stencil<3>& y, const Start& s) const;        // requires !is_passed
  StencilHessian<3> hessian(const Stencil<3>& y, const Start& s) const;  // the same

  bool is_passed(const Stencil<3>& y, const Start& s) const;
  // A share of dy, from 0 to 1, at which no more than nine tenths of what the larger lambda is below limit^2
  // are gone. Requires !is_passed(y, s).
  double free_share(const Stencil<3>& y, const Stencil<3>& dy, const Start& s) const;

  ParameterDerivative<3> gradient_by(const Parameter& p, const Stencil<3>& y, const Stencil<3>& x,
                                     const Start& s) const;
};

// The larger singular value of F.
double largest_stretch(const RestTriangle& rest, const Vec2& scale, const Stencil<3>& y);

}  // namespace keydrape
