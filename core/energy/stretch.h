#pragma once

#include <array>
#include <cmath>
#include <memory>

#include "core/base/animated.h"
#include "core/energy/condition.h"
#include "core/energy/energy.h"
#include "core/energy/membrane.h"

namespace keydrape {

// Warp and weft as they are at y, of which Stretch makes its conditions; of one triangle or several.
template <class S>
struct WarpAndWeft {
  Vec3Of<S> u, v;              // w_u, w_v
  S u_length, v_length;        // |w_u|, |w_v|
  Vec3Of<S> u_along, v_along;  // unit vectors

  WarpAndWeft(const RestTriangleOf<S>& rest, const StencilOf<S, 3>& y) : u(rest.w_u(y)), v(rest.w_v(y)) {
    using std::sqrt;
    u_length = sqrt(u.squaredNorm()), v_length = sqrt(v.squaredNorm());
    u_along = u / u_length, v_along = v / v_length;
  }

  // How the lengths change with dy.
  std::array<S, 2> changes(const RestTriangleOf<S>& rest, const StencilOf<S, 3>& dy) const {
    return {u_along.dot(rest.w_u(dy)), v_along.dot(rest.w_v(dy))};
  }
  // The gradient over the vertices of what has these derivatives by the lengths.
  StencilOf<S, 3> gradient(const RestTriangleOf<S>& rest, const S& by_u, const S& by_v) const {
    return membrane_gradient(rest, by_u * u_along, by_v * v_along);
  }
  // d2W/dw_u2 of a function of |w_u| with first derivative sigma and second k:
  //   k n n^T + sigma/|w_u| (1 - n n^T) ,   n = w_u/|w_u|
  static Mat3Of<S> by_thread(const Vec3Of<S>& along, const S& length, const S& k, const S& sigma) {
    const S across = sigma / length;
    Mat3Of<S> h = ((k - across) * along) * along.transpose();
    for (int i = 0; i < 3; ++i) h(i, i) += across;
    return h;
  }
};

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
