#include "core/energy/attachment.h"

#include "core/constraint/active_time.h"

namespace keydrape {

Attachment::Start Attachment::start(const Shared& shared, const StepStart& step,
                                    const StartStencil<1>& at) const {
  const double stiffness =
      is_active(shared.begin_time, shared.end_time, step.time) ? k * shared.strength.at(step.time) : 0.0;
  const Mat3& P = held ? *held : shared.held;
  const auto offset = [&](const Vec3& x, int steps_back) -> Vec3 {
    return P * (x - shared.motion.position(point, step.time_before(steps_back)));
  };
  const StepScheme s = step.scheme();
  Vec3 start_offset = offset(at.x, 1);
  if (s.has_before()) start_offset = s.start.share * start_offset + s.before.share * offset(at.x_before, 2);
  return {P,
          P * shared.motion.position(point, step.time),
          start_offset,
          stiffness,
          damping * stiffness / s.beta,
          {s.start.share, s.before.share}};
}

double Attachment::value(const Stencil<1>& y, const Start& s) const {
  const Vec3 offset = s.P * y - s.target;
  return 0.5 * s.k * offset.squaredNorm() + 0.5 * s.k_d_over_beta * (offset - s.start_offset).squaredNorm();
}

Stencil<1> Attachment::gradient(const Stencil<1>& y, const Start& s) const {
  const Vec3 offset = s.P * y - s.target;
  return s.k * offset + s.k_d_over_beta * (offset - s.start_offset);
}

StencilHessian<1> Attachment::hessian(const Stencil<1>&, const Start& s) const {
  return (s.k + s.k_d_over_beta) * s.P;
}

StencilHessian<1> Attachment::cross_x(const Stencil<1>&, const Stencil<1>&, const Start& s,
                                      const StepScheme::Level& level) const {
  return -level.share * s.k_d_over_beta * s.P;
}

ParameterDerivative<1> Attachment::gradient_by(const Parameter& p, const Stencil<1>&, const Stencil<1>&,
                                               const Start& s) const {
  // dW/dy = k P (y - p) + k_d/beta P ((y - p) - (x - p_start)*)
  if (p.is_pin() && p.pin != pin) return {};
  if (p.kind == Parameter::kPinEnd) return -(s.k + s.k_d_over_beta) * s.P;
  if (p.kind == Parameter::kPinStart) return s.shares[0] * s.k_d_over_beta * s.P;
  if (p.kind == Parameter::kPinBefore) return s.shares[1] * s.k_d_over_beta * s.P;
  return {};
}

Eigen::Matrix<double, 1, 1> Attachment::stiffness_bound(const Shared& shared,
                                                        const StiffnessBound& of_step) const {
  const double time = of_step.end_time();
  if (!is_active(shared.begin_time, shared.end_time, time)) return Eigen::Matrix<double, 1, 1>::Zero();
  return Eigen::Matrix<double, 1, 1>(k * shared.strength.at(time) * (1.0 + damping / of_step.dt()));
}

}  // namespace keydrape
