#pragma once

#include "core/base/animated.h"
#include "core/energy/energy.h"

namespace keydrape {

// A difference of pressure across a triangle of area A and unit normal n, p above 0 where it pushes along n:
//   f = p A n   at x' ,   a third of it at each vertex,   W = -f . y_bar
// It follows the cloth, with the normal of where the step takes such forces (I4), as wind does: of cloth that
// does not move, that of the shape itself. Over a closed mesh its sum is zero. H = 0.
struct Pressure {
  static constexpr int kVertices = 3;
  static constexpr bool kConstantHessian = true;
  static constexpr bool kIsLoad = true;

  struct Shared {
    Animated<double> difference{0.0};  // p [Pa]
  };
  struct Start {
    double pressure;  // p [Pa]
    Stencil<3> x;     // x' [m]
    Vec3 third;       // of f [N]
  };

  std::array<int, 3> vertices;

  Start start(const Shared& shared, const StepStart& step, const StartStencil<3>& at) const;
  double value(const Stencil<3>& y, const Start& s) const { return -s.third.dot(y.rowwise().sum()); }
  Stencil<3> gradient(const Stencil<3>&, const Start& s) const { return (-s.third).replicate<1, 3>(); }
  StencilHessian<3> hessian(const Stencil<3>&, const Start&) const { return StencilHessian<3>::Zero(); }

  bool depends_on_start() const { return true; }
  StencilHessian<3> cross_x(const Stencil<3>& y, const Stencil<3>& x, const Start& s,
                            const StepScheme::Level& level) const;
};

}  // namespace keydrape
