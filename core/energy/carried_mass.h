#pragma once

#include <array>

#include "core/energy/energy.h"
#include "core/energy/moving_frame.h"

namespace keydrape {

// The force that carries a vertex along with a moving frame, so that cloth does not feel this share of the
// frame's motion (V2): with all of it, cloth that moves with the frame stays in the shape that it has where
// the frame stands still. Linear in what the step knows, and the same for every y: W = -f . y.
struct CarriedMass {
  static constexpr int kVertices = 1;
  static constexpr bool kConstantHessian = true;

  struct Shared {
    MovingFrame frame;
    CarriedInertia carried{};  // of at_step()

    // With what is the same for all vertices in one step.
    Shared at_step(const StepStart& start) const { return {frame, carried_inertia(frame, start)}; }
  };
  struct Start {
    Vec3 force;                                             // f [N]
    Mat3 by_x_start, by_v_start, by_x_before, by_v_before;  // df by the states that the step knows
  };

  std::array<int, 1> vertices;
  double mass;  // [kg]

  Start start(const Shared& shared, const StepStart& step, const StartStencil<1>& at) const;
  double value(const Stencil<1>& y, const Start& s) const { return -s.force.dot(y); }
  Stencil<1> gradient(const Stencil<1>&, const Start& s) const { return -s.force; }
  StencilHessian<1> hessian(const Stencil<1>&, const Start&) const { return Mat3::Zero(); }

  bool depends_on_start() const { return true; }
  StencilHessian<1> cross_x(const Stencil<1>&, const Stencil<1>&, const Start& s,
                            const StepScheme::Level& level) const {
    return is_start(level) ? -s.by_x_start : -s.by_x_before;
  }
  StencilHessian<1> cross_v(const Stencil<1>&, const Start& s, const StepScheme::Level& level) const {
    return is_start(level) ? -s.by_v_start : -s.by_v_before;
  }

  ParameterDerivative<1> gradient_by(const Parameter& p, const Stencil<1>&, const Stencil<1>&,
                                     const Start& s) const {
    if (p.kind != Parameter::kLogDensity) return {};
    return columns<1>(-s.force);
  }
};

}  // namespace keydrape
