#pragma once

#include <memory>

#include "core/energy/condition.h"
#include "core/energy/energy.h"

namespace keydrape {

// Spring, Hookean but where its family has a curve.
//   c = (l - L)/g ,   W = w(c) - k/2 eps^2 ,   l = sqrt(|x1 - x0|^2 + eps^2)     with w of condition.h
// whose stiffness is k g^2.
// A spring with a rest length has eps = 0. One of rest length 0 (a seam) has eps = kSeamSmoothing: its
// elastic part is then exactly k/2 |x1 - x0|^2, and its dissipation is smooth where the seam closes, at
// the price of fading out below eps. Both dissipate through the length alone, so that a rigid rotation
// is not damped.
struct Spring {
  static constexpr int kVertices = 2;
  static constexpr int kConditions = 1;
  static constexpr bool kTensionStiffens = true;
  static constexpr double kSeamSmoothing = 1e-3;  // [m], about the thickness of what is sewn

  struct Shared {
    std::shared_ptr<const ConditionCurve> curve{};  // null: in proportion
  };
  struct Start {
    ConditionLaw law;
  };

  std::array<int, 2> vertices;
  double k;        // [N/m]
  double L;        // rest length [m], >= 0; above 0 the two ends must not meet
  double damping;  // [s]
  double g = 1.0;  // gauge, a length that the curve counts in [m], > 0: any where there is none

  Start start(const Shared& shared, const StepStart& step, const StartStencil<2>& at) const;
  double value(const Stencil<2>& y, const Start& s) const;
  Stencil<2> gradient(const Stencil<2>& y, const Start& s) const;
  StencilHessian<2> hessian(const Stencil<2>& y, const Start& s) const;

  std::array<double, 1> tension(const Stencil<2>& y, const Start& s) const;  // [N]
  std::array<double, 1> tension_change(const Stencil<2>& y, const Stencil<2>& dy, const Start& s) const;
  StencilHessian<2> hessian_with_tension(const Stencil<2>& y, const Start& s,
                                         const std::array<double, 1>& sigma) const;

  bool depends_on_start() const { return damping > 0; }
  StencilHessian<2> cross_x(const Stencil<2>& y, const Stencil<2>& x, const Start& s,
                            const StepScheme::Level& level) const;

  Eigen::Matrix2d stiffness_bound(const Shared& shared, const StiffnessBound& of_step) const;

  double smoothing() const { return L > 0 ? 0.0 : kSeamSmoothing; }  // eps [m]
  double length(const Stencil<2>& y) const;                          // l [m]
  double condition(const Stencil<2>& y) const { return (length(y) - L) / g; }
};

}  // namespace keydrape
