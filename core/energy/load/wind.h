#pragma once

#include "core/base/animated.h"
#include "core/energy/energy.h"
#include "core/energy/moving_frame.h"

namespace keydrape {

// Aerodynamic force on a triangle of area A and unit normal n, in air that moves against it with
// r = wind - v_mean:
//   f = rho/2 A |r| (r . n) ( c_d (r^ . n) r^ + c_l (n - (r^ . n) r^) ) ,
//   r^ = r/|r| ,   |r| = sqrt(r . r + eps^2)
// Drag c_d acts along the flow and lift c_l across it, both proportional to |r|^2 (r^ . n)^2 when the cloth
// faces the flow (Keckeisen et al. 2004; Wilson et al. 2014). c_d = c_l is a flat plate under pressure along
// its normal alone. Even in n (front and back alike), and smooth throughout: where the cloth stands edge-on
// and where the air stands still.
//
// The step minimises, so the force enters by a potential, with x', v' where the step takes such forces (I4),
// with implicit Euler its start, and bars for means over the vertices:
//   W = -f(x', v') . y_bar + G/(2 beta) (z . n)^2 + T/(2 beta) |z - (z . n) n|^2 ,
//   z = y_bar - x*_bar - beta v'_bar ,
//   G = rho/2 A |r| (c_d + c_l) ,   T = rho/2 A |r| ( max(c_d - c_l, 0) (r^ . n)^2 + max(c_l - c_d, 0) )
// The terms in z are of order dt in the force. They make the velocity linearly implicit, so that light cloth
// stays stable in strong wind: facing the flow with c_d >= c_l, T is the exact -df/dv_bar within the plane,
// and for a plate G that along n; elsewhere they are more, G up to twice when edge-on. With c_l > c_d the
// force within the plane is a thrust along the cloth's own motion, whose -df/dv_bar is negative: T is more
// than its size. The Hessian is positive semidefinite and constant over the step.
// Where a frame carries the air along, wind and the displacement are those relative to it (V4).
struct Wind {
  static constexpr int kVertices = 3;
  static constexpr bool kConstantHessian = true;
  static constexpr double kSpeedSmoothing = 1e-3;  // eps [m/s]

  struct Shared {
    Animated<Vec3> velocity{Vec3::Zero()};       // of the air [m/s]
    Animated<double> air_density{1.2};           // rho [kg/m^3]
    Animated<double> drag{1.0};                  // c_d
    Animated<double> lift{1.0};                  // c_l
    std::shared_ptr<const MovingFrame> frame{};  // that carries the air along; null: none does

    // What the frame adds, by the mean of the vertices in one state, in one step: to the velocity of the
    // air, and to x*_bar + beta v'_bar.  (V4)
    struct Carried {
      AffineMap air, way;
    };
    Carried by_start{}, by_before{};  // of at_step()

    // With what is the same for all triangles in one step.
    Shared at_step(const StepStart& start) const;
  };
  struct Start {
    double beta;                          // [s]
    double drag_factor;                   // rho/2 c_d [kg/m^3]
    double lift_factor;                   // rho/2 c_l
    Vec3 r;                               // relative velocity of the air [m/s]
    double speed;                         // |r|, smoothed
    Vec3 normal;                          // n
    Vec3 force;                           // f [N]
    Vec3 predicted;                       // x*_bar + beta v'_bar [m]
    double G_over_beta, T_over_beta;      // [N/m]
    Stencil<3> x;                         // x' [m]
    Shared::Carried by_start, by_before;  // as those of Shared
  };

  std::array<int, 3> vertices;  // requires a triangle with an area at the start of the step

  Start start(const Shared& shared, const StepStart& step, const StartStencil<3>& at) const;
  double value(const Stencil<3>& y, const Start& s) const;
  Stencil<3> gradient(const Stencil<3>& y, const Start& s) const;
  StencilHessian<3> hessian(const Stencil<3>& y, const Start& s) const;

  bool depends_on_start() const { return true; }
  StencilHessian<3> cross_x(const Stencil<3>& y, const Stencil<3>& x, const Start& s,
                            const StepScheme::Level& level) const;
  StencilHessian<3> cross_v(const Stencil<3>& y, const Start& s, const StepScheme::Level& level) const;

  ParameterDerivative<3> gradient_by(const Parameter& p, const Stencil<3>& y, const Stencil<3>& x,
                                     const Start& s) const;
};

}  // namespace keydrape
