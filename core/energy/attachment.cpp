#include "core/energy/attachment.h"

#include "core/constraint/active_time.h"

namespace keydrape {

Attachment::Start Attachment::start(const Shared& shared, const StepStart& step, const Stencil<1>& x,
                                    const Stencil<1>&) const {
  const double stiffness = is_active(shared.begin_time, shared.end_time, step.time) ? k : 0.0;
  return {shared.held, shared.held * shared.motion.position(point, step.time),
          shared.held * (x - shared.motion.position(point, step.time - step.dt)), stiffness,
          damping * stiffness / step.dt};
}

double Attachment::value(const Stencil<1>& y, const Start& s) const {
  const Vec3 offset = s.P * y - s.target;
  return 0.5 * s.k * offset.squaredNorm() + 0.5 * s.k_d_over_dt * (offset - s.start_offset).squaredNorm();
}

Stencil<1> Attachment::gradient(const Stencil<1>& y, const Start& s) const {
  const Vec3 offset = s.P * y - s.target;
  return s.k * offset + s.k_d_over_dt * (offset - s.start_offset);
}

StencilHessian<1> Attachment::hessian(const Stencil<1>&, const Start& s) const {
  return (s.k + s.k_d_over_dt) * s.P;
}

StencilHessian<1> Attachment::cross_x(const Stencil<1>&, const Stencil<1>&, const Start& s) const {
  return -s.k_d_over_dt * s.P;
}

ParameterDerivative<1> Attachment::gradient_by(const Parameter& p, const Stencil<1>&, const Stencil<1>&,
                                               const Start& s) const {
  // dW/dy = k P (y - p) + k_d/dt P ((y - p) - (x - p_start))
  if (p.is_pin() && p.pin != pin) return {};
  if (p.kind == Parameter::kPinEnd) return -(s.k + s.k_d_over_dt) * s.P;
  if (p.kind == Parameter::kPinStart) return s.k_d_over_dt * s.P;
  return {};
}

}  // namespace keydrape
