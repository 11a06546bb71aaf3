#include "core/energy/load/pressure.h"

#include "core/energy/load/area_vector.h"

namespace keydrape {

Pressure::Start Pressure::start(const Shared& shared, const StepStart& step,
                                const StartStencil<3>& at) const {
  Start s;
  s.pressure = shared.difference.at(step.time);
  s.x = at.lagged_x(step.scheme());
  s.third = s.pressure / 3.0 * area_vector(s.x);
  return s;
}

StencilHessian<3> Pressure::cross_x(const Stencil<3>&, const Stencil<3>&, const Start& s,
                                    const StepScheme::Level& level) const {
  StencilHessian<3> h;
  for (int b = 0; b < 3; ++b) {
    const Mat3 block = -level.lag * s.pressure / 3.0 * area_vector_by(s.x, b);
    h.middleCols<3>(3 * b) = block.replicate<3, 1>();
  }
  return h;
}

}  // namespace keydrape
