#pragma once

#include <memory>

#include "core/base/animated.h"
#include "core/energy/condition.h"
#include "core/energy/energy.h"
#include "core/energy/membrane.h"

namespace keydrape {

// Stretch of warp and weft (Baraff & Witkin 1998, equation (10); Stuyck 2018, chapter 7), integrated
// over the area:
//   c_u = |w_u| - b_u ,  c_v = |w_v| - b_v ,   W = A ( w(c_u) + w(c_v) )     with w of condition.h
// b scales the unstretched length: 1 as sewn, above 1 the cloth grows. With coupling what both store is one
// function of c_u and c_v (coupled_stretch.h).
struct Stretch {
  static constexpr int kVertices = 3;
  static constexpr int kConditions = 2;
  static constexpr bool kTensionStiffens = true;
  static constexpr bool kInFabric = true;

  struct Shared {
    Animated<Vec2> scale{Vec2(1, 1)};  // b_u, b_v
    std::shared_ptr<const ConditionCurve> warp_curve{}, weft_curve{};
  };
  struct Start {
    ConditionLaw warp, weft;
    Vec2 scale;
  };

  std::array<int, 3> vertices;
  RestTriangle rest;
  double k_warp, k_weft;  // [N/m]
  double damping;         // [s]
  double stored = 1.0;    // share of k that stores: 0 where only what dissipates is wanted
  double coupling = 0.0;  // k_uv over sqrt(k_warp k_weft), in [0, 1)

  bool is_coupled() const { return coupling > 0.0 && stored > 0.0; }

  Start start(const Shared& shared, const StepStart& step, const StartStencil<3>& at) const;
  double value(const Stencil<3>& y, const Start& s) const;
  Stencil<3> gradient(const Stencil<3>& y, const Start& s) const;
  StencilHessian<3> hessian(const Stencil<3>& y, const Start& s) const;

  std::array<double, 2> tension(const Stencil<3>& y, const Start& s) const;  // [N/m]
  std::array<double, 2> tension_change(const Stencil<3>& y, const Stencil<3>& dy, const Start& s) const;
  StencilHessian<3> hessian_with_tension(const Stencil<3>& y, const Start& s,
                                         const std::array<double, 2>& sigma) const;

  Stencil<3> gradient_with_tension(const Stencil<3>& y, const Vec2& sigma) const;

  bool depends_on_start() const { return damping > 0; }
  StencilHessian<3> cross_x(const Stencil<3>& y, const Stencil<3>& x, const Start& s,
                            const StepScheme::Level& level) const;

  Mat3 stiffness_bound(const Shared& shared, const StiffnessBound& of_step) const;

  ParameterDerivative<3> gradient_by(const Parameter& p, const Stencil<3>& y, const Stencil<3>& x,
                                     const Start& s) const;

 private:
  Vec2 conditions(const Stencil<3>& y, const Start& s) const {
    return {rest.w_u(y).norm() - s.scale(0), rest.w_v(y).norm() - s.scale(1)};
  }
  Vec2 tensions(const Vec2& c, const Start& s) const;
  // The tensions' derivatives by both c, from those by the own one of each direction without coupling.
  Mat2 with_coupling(const Vec2& apart, const Vec2& c, const Start& s) const;
  Vec2 tensions_by_number(Parameter::Kind kind, const Vec2& c, const Start& s) const;
};

}  // namespace keydrape
