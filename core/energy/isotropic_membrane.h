#pragma once

#include "core/base/animated.h"
#include "core/energy/energy.h"
#include "core/energy/membrane.h"

namespace keydrape {

// Membrane of a material that is alike in all directions and narrows as it is pulled: rubber, leather, knits
// (corotational linear elasticity in principal stretches, Stomakhin et al. 2012; without an SVD here).
// With F = [w_u/b_u  w_v/b_v], s_i its principal stretches and S their sum, core/EQUATIONS.md (R1) to (R4):
//   W = A ( mu sum (s_i - 1)^2 + lambda/2 (S - 2)^2 )
// S is the one condition, with tension lambda (S - 2) - 2 mu. It stores only; what dissipates is Stretch
// and Shear without their k.
struct IsotropicMembrane {
  static constexpr int kVertices = 3;
  static constexpr int kConditions = 1;
  static constexpr bool kInFabric = true;

  struct Shared {
    Animated<Vec2> scale{Vec2(1, 1)};  // b_u, b_v
  };
  struct Start {
    Vec2 scale;
  };

  std::array<int, 3> vertices;
  RestTriangle rest;
  double mu, lambda;  // of the sheet: modulus times thickness [N/m]

  Start start(const Shared& shared, const StepStart& step, const StartStencil<3>& at) const;
  double value(const Stencil<3>& y, const Start& s) const;
  Stencil<3> gradient(const Stencil<3>& y, const Start& s) const;
  StencilHessian<3> hessian(const Stencil<3>& y, const Start& s) const;

  std::array<double, 1> tension(const Stencil<3>& y, const Start& s) const;  // [N/m]
  std::array<double, 1> tension_change(const Stencil<3>& y, const Stencil<3>& dy, const Start& s) const;
  StencilHessian<3> hessian_with_tension(const Stencil<3>& y, const Start& s,
                                         const std::array<double, 1>& sigma) const;
  // The least tension for which H is positive semidefinite at y (R4).
  double least_tension(const Stencil<3>& y, const Start& s) const;

  Mat3 stiffness_bound(const Shared& shared, const StiffnessBound& of_step) const;

  ParameterDerivative<3> gradient_by(const Parameter& p, const Stencil<3>& y, const Stencil<3>& x,
                                     const Start& s) const;
};

}  // namespace keydrape
