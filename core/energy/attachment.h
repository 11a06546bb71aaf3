#pragma once

#include <optional>

#include "core/base/animated.h"
#include "core/constraint/motion_track.h"
#include "core/energy/energy.h"

namespace keydrape {

// A vertex drawn to a moving point p(t) (a soft pin):
//   W = k/2 |P (y - p)|^2 + k_d/(2 beta) |P ((y - p) - (x - p_start)*)|^2
// where P projects on the directions in which the vertex is held, and p is the point at the end of the step,
// p_start that at its start; (I3) says what the star is. What is damped is the motion against the moving
// point, so that cloth which follows its pin loses nothing.
struct Attachment {
  static constexpr int kVertices = 1;
  static constexpr bool kConstantHessian = true;
  static constexpr bool kBoundDependsOnTime = true;  // it comes and goes

  struct Shared {
    MotionTrack motion;
    // P: identity (pinned), I - t t^T (slides along the unit axis t) or n n^T (slides in the plane with
    // unit normal n).
    Mat3 held = Mat3::Identity();
    double begin_time = 0.0;  // acts while begin_time <= t <= end_time, t the end of the step [s]
    double end_time = 1e300;
    Animated<double> strength{1.0};  // multiplies k, as it is at the end of the step, >= 0
  };
  struct Start {
    Mat3 P;
    Vec3 target;        // P p        [m]
    Vec3 start_offset;  // P (x - p_start)*
    double k;           // 0 while it does not act
    double k_d_over_beta;
    std::array<double, 2> shares;  // of the start, and of the state before it
  };

  std::array<int, 1> vertices;
  int point;                                // whose path in Shared::motion it follows
  double k;                                 // weight times stiffness [N/m]
  double damping;                           // k_d = damping k [s]
  int pin = 0;                              // the soft pin that it is part of, as Parameter::pin
  std::optional<Mat3> held = std::nullopt;  // P of its own; none: that of all

  Start start(const Shared& shared, const StepStart& step, const StartStencil<1>& at) const;
  double value(const Stencil<1>& y, const Start& s) const;
  Stencil<1> gradient(const Stencil<1>& y, const Start& s) const;
  StencilHessian<1> hessian(const Stencil<1>& y, const Start& s) const;

  bool depends_on_start() const { return damping > 0; }
  StencilHessian<1> cross_x(const Stencil<1>& y, const Stencil<1>& x, const Start& s,
                            const StepScheme::Level& level) const;

  Eigen::Matrix<double, 1, 1> stiffness_bound(const Shared& shared, const StiffnessBound& of_step) const;

  ParameterDerivative<1> gradient_by(const Parameter& p, const Stencil<1>& y, const Stencil<1>& x,
                                     const Start& s) const;
};

}  // namespace keydrape
