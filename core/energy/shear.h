#pragma once

#include <memory>

#include "core/energy/condition.h"
#include "core/energy/energy.h"
#include "core/energy/membrane.h"

namespace keydrape {

// The Hessian over the vertices of a function of c = w_u . w_v with first derivative sigma and second k, its
// blocks on the diagonal and above: grad c = (w_v, w_u) over (w_u, w_v), and d2c/dw_u dw_v = 1.
template <class S>
void shear_hessian(const RestTriangleOf<S>& rest, const Vec3Of<S>& wu, const Vec3Of<S>& wv, const S& k,
                   const S& sigma, StencilHessianOf<S, 3>& h) {
  const Vec3Of<S> ku = k * wu, kv = k * wv;
  Mat3Of<S> uv = kv * wu.transpose();
  for (int i = 0; i < 3; ++i) uv(i, i) += sigma;
  const Mat3Of<S> uu = kv * wv.transpose(), vv = ku * wu.transpose();
  upper_membrane_hessian(rest, uu, uv, vv, h);
}

// Shear between warp and weft (Baraff & Witkin 1998, section 4.3; Stuyck 2018, chapter 7), integrated
// over the area:
//   c = w_u . w_v ,   W = A w(c)     with w of condition.h
struct Shear {
  static constexpr int kVertices = 3;
  static constexpr int kConditions = 1;
  static constexpr bool kInFabric = true;

  struct Shared {
    std::shared_ptr<const ConditionCurve> curve{};
    Hysteresis hysteresis{};
  };
  struct Start {
    ConditionLaw law;
  };

  std::array<int, 3> vertices;
  RestTriangle rest;
  double k;                   // [N/m]
  double damping;             // [s]
  double stored = 1.0;        // as in Stretch
  bool has_friction = false;  // Shared has hysteresis

  Start start(const Shared& shared, const StepStart& step, const StartStencil<3>& at) const;
  double value(const Stencil<3>& y, const Start& s) const;
  Stencil<3> gradient(const Stencil<3>& y, const Start& s) const;
  StencilHessian<3> hessian(const Stencil<3>& y, const Start& s) const;

  std::array<double, 1> tension(const Stencil<3>& y, const Start& s) const;  // [N/m]
  std::array<double, 1> tension_change(const Stencil<3>& y, const Stencil<3>& dy, const Start& s) const;
  StencilHessian<3> hessian_with_tension(const Stencil<3>& y, const Start& s,
                                         const std::array<double, 1>& sigma) const;

  Stencil<3> gradient_with_tension(const Stencil<3>& y, double sigma) const;

  bool depends_on_start() const { return damping > 0 || has_friction; }
  StencilHessian<3> cross_x(const Stencil<3>& y, const Stencil<3>& x, const Start& s,
                            const StepScheme::Level& level) const;

  Mat3 stiffness_bound(const Shared& shared, const StiffnessBound& of_step) const;

  ParameterDerivative<3> gradient_by(const Parameter& p, const Stencil<3>& y, const Stencil<3>& x,
                                     const Start& s) const;
};

}  // namespace keydrape
