#pragma once

#include <numbers>

#include "core/base/animated.h"
#include "core/energy/condition.h"
#include "core/energy/energy.h"

namespace keydrape {

// theta, at most a turn and a half from `middle`, within half a turn of it; with the same bits if it is so
// [rad]. With std::remainder the value of a hinge took 60 ns instead of 53.
inline double angle_near(double middle, double theta) {
  constexpr double kPi = std::numbers::pi;
  if (theta > middle + kPi) return theta - 2 * kPi;
  if (theta < middle - kPi) return theta + 2 * kPi;
  return theta;
}

// theta - theta_rest, with theta counted on from that of the start, within half a turn of (F5) [rad].
inline double counted_bend(double start, double theta_rest, double theta) {
  return angle_near(0.5 * (start + theta_rest), start + angle_near(0.0, theta - start)) - theta_rest;
}

// Bending at an edge (Grinspun et al. 2003, "Discrete shells"), with any rest angle:
//   c = q (theta - theta_rest) ,   W = w(c)     with theta of hinge_angle.h and w of condition.h
// q is 1 but for triangles that have collapsed to less than whole_areas (hinge_fade.h): there theta turns any
// way, and W would have no minimum. Within a step theta runs on past pi: it is counted from its value at the
// start of the step, and jumps only where neither rest nor start are near (F5), so that W is smooth where
// a hinge folds flat. At the next start it is between -pi and pi again, or a little beyond where the hinge is
// sharp at rest (F4); that cloth does not fold through itself is for contact to prevent. The dissipation
// lives in the angle, so that a rigid rotation is not damped. It has a stiffness of its own: with k = 0 the
// element is the dissipation that goes with QuadraticBending.
struct HingeBending {
  static constexpr int kVertices = 4;
  static constexpr int kConditions = 1;
  static constexpr bool kInFabric = true;

  // Triangles of less than this share of their area at rest count less.
  static constexpr double kWholeShare = 0.25;

  struct Shared {
    std::vector<Animated<double>> creases{};  // angles at rest in time [rad], each below pi either way
  };
  struct Start {
    ConditionLaw law;
    double theta;       // at the start of the step [rad]
    double theta_rest;  // in it: of the crease where there is one, that of the element elsewhere
  };

  std::array<int, 4> vertices;  // as in Hinge (core/mesh/topology.h)
  double theta_rest;            // [rad], |theta_rest| < pi
  double k;                     // [J/rad^2]    B times calibrated_hinge_stiffness() (bending_calibration.h)
  double k_d;                   // [J s/rad^2]  damping times that
  // From which on triangle a and b count whole, kWholeShare of those at rest; 0: always [m^2]
  std::array<double, 2> whole_areas{};
  Hysteresis friction{};  // [N m], [rad/s]
  int crease = -1;        // of Shared; -1: none
  // Its gradient at rest by the distances along the normal, flat_hinge_weights(); 0: it bounds nothing [1/m]
  Eigen::Vector4d flat_gradient = Eigen::Vector4d::Zero();

  Start start(const Shared& shared, const StepStart& step, const StartStencil<4>& at) const;
  double value(const Stencil<4>& y, const Start& s) const;
  Stencil<4> gradient(const Stencil<4>& y, const Start& s) const;
  StencilHessian<4> hessian(const Stencil<4>& y, const Start& s) const;

  std::array<double, 1> tension(const Stencil<4>& y, const Start& s) const;  // [N m]
  std::array<double, 1> tension_change(const Stencil<4>& y, const Stencil<4>& dy, const Start& s) const;
  StencilHessian<4> hessian_with_tension(const Stencil<4>& y, const Start& s,
                                         const std::array<double, 1>& sigma) const;

  double condition(const Stencil<4>& y, const Start& s) const;               // c [rad]
  Stencil<4> condition_gradient(const Stencil<4>& y, const Start& s) const;  // grad c [rad/m]

  bool depends_on_start() const { return k_d > 0 || friction.tension > 0; }
  StencilHessian<4> cross_x(const Stencil<4>& y, const Stencil<4>& x, const Start& s,
                            const StepScheme::Level& level) const;

  Eigen::Matrix4d stiffness_bound(const Shared& shared, const StiffnessBound& of_step) const;

  ParameterDerivative<4> gradient_by(const Parameter& p, const Stencil<4>& y, const Stencil<4>& x,
                                     const Start& s) const;
};

}  // namespace keydrape
