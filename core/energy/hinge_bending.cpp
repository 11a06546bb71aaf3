#include "core/energy/hinge_bending.h"

#include <cmath>
#include <numbers>

#include "core/mesh/hinge_angle.h"

namespace keydrape {

namespace {

// theta counted on from that of the start [rad].
double counted_from(double start, double theta) {
  return start + std::remainder(theta - start, 2 * std::numbers::pi);
}

// w'' grad theta grad theta^T + sigma d2theta/dy2
StencilHessian<4> hessian_of(const HingeAngle& angle, double stiffness, double sigma) {
  const Eigen::Matrix<double, 12, 1> g = angle.gradient().reshaped();
  StencilHessian<4> h = sigma * angle.hessian();
  h.noalias() += (stiffness * g) * g.transpose();
  return h;
}

}  // namespace

HingeBending::Start HingeBending::start(const Shared&, const StepStart& step, const Stencil<4>& x,
                                        const Stencil<4>&) const {
  const double theta = HingeAngle(x).theta();
  return {{k, k_d / step.dt, theta - theta_rest}, theta};
}

double HingeBending::value(const Stencil<4>& y, const Start& s) const {
  return s.law.value(counted_from(s.theta, HingeAngle(y).theta()) - theta_rest);
}

std::array<double, 1> HingeBending::tension(const Stencil<4>& y, const Start& s) const {
  return {s.law.tension(counted_from(s.theta, HingeAngle(y).theta()) - theta_rest)};
}

std::array<double, 1> HingeBending::tension_change(const Stencil<4>& y, const Stencil<4>& dy,
                                                   const Start& s) const {
  return {s.law.stiffness() * HingeAngle(y).gradient().cwiseProduct(dy).sum()};
}

Stencil<4> HingeBending::gradient(const Stencil<4>& y, const Start& s) const {
  const HingeAngle angle(y);
  return s.law.tension(counted_from(s.theta, angle.theta()) - theta_rest) * angle.gradient();
}

StencilHessian<4> HingeBending::hessian(const Stencil<4>& y, const Start& s) const {
  const HingeAngle angle(y);
  return hessian_of(angle, s.law.stiffness(),
                    s.law.tension(counted_from(s.theta, angle.theta()) - theta_rest));
}

StencilHessian<4> HingeBending::hessian_with_tension(const Stencil<4>& y, const Start& s,
                                                     const std::array<double, 1>& sigma) const {
  return hessian_of(HingeAngle(y), s.law.stiffness(), sigma[0]);
}

StencilHessian<4> HingeBending::cross_x(const Stencil<4>& y, const Stencil<4>& x, const Start& s) const {
  // Only c_start depends on x:  d2W/dy dx = -k_d/dt  grad theta(y) grad theta(x)^T
  const Eigen::Matrix<double, 12, 1> at_y = HingeAngle(y).gradient().reshaped();
  const Eigen::Matrix<double, 12, 1> at_x = HingeAngle(x).gradient().reshaped();
  return (-s.law.k_d_over_dt * at_y) * at_x.transpose();
}

ParameterDerivative<4> HingeBending::gradient_by(const Parameter& p, const Stencil<4>& y, const Stencil<4>&,
                                                 const Start& s) const {
  if (p.kind == Parameter::kLogBend) return columns<4>(gradient(y, s));
  if (p.kind == Parameter::kLogDamping) return columns<4>(gradient(y, {s.law.dissipation(), s.theta}));
  return {};
}

}  // namespace keydrape
