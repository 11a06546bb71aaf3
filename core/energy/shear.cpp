#include "core/energy/shear.h"

namespace keydrape {

Shear::Start Shear::start(const Shared&, const StepStart& step, const StartStencil<3>& at) const {
  const auto condition = [&](const Stencil<3>& x) { return rest.w_u(x).dot(rest.w_v(x)); };
  const double c = step.start_condition(condition(at.x), [&] { return condition(at.x_before); });
  return {{k, damping * k / step.scheme().beta, c}};
}

double Shear::value(const Stencil<3>& y, const Start& s) const {
  return rest.area * s.law.value(rest.w_u(y).dot(rest.w_v(y)));
}

std::array<double, 1> Shear::tension(const Stencil<3>& y, const Start& s) const {
  return {s.law.tension(rest.w_u(y).dot(rest.w_v(y)))};
}

std::array<double, 1> Shear::tension_change(const Stencil<3>& y, const Stencil<3>& dy, const Start& s) const {
  return {s.law.stiffness() * (rest.w_u(y).dot(rest.w_v(dy)) + rest.w_v(y).dot(rest.w_u(dy)))};
}

Stencil<3> Shear::gradient(const Stencil<3>& y, const Start& s) const {
  const Vec3 wu = rest.w_u(y), wv = rest.w_v(y);
  const double sigma = rest.area * s.law.tension(wu.dot(wv));
  return membrane_gradient(rest, sigma * wv, sigma * wu);
}

StencilHessian<3> Shear::hessian(const Stencil<3>& y, const Start& s) const {
  return hessian_with_tension(y, s, tension(y, s));
}

StencilHessian<3> Shear::hessian_with_tension(const Stencil<3>& y, const Start& s,
                                              const std::array<double, 1>& sigma) const {
  // grad c = (w_v, w_u) over (w_u, w_v), and d2c/dw_u dw_v = I
  const Vec3 wu = rest.w_u(y), wv = rest.w_v(y);
  const double K = rest.area * s.law.stiffness();
  Mat3 uv = K * wv * wu.transpose();
  uv.diagonal().array() += rest.area * sigma[0];
  return membrane_hessian(rest, K * wv * wv.transpose(), uv, K * wu * wu.transpose());
}

StencilHessian<3> Shear::cross_x(const Stencil<3>& y, const Stencil<3>& x, const Start& s,
                                 const StepScheme::Level& level) const {
  const Eigen::Matrix<double, 9, 1> at_y = membrane_gradient(rest, rest.w_v(y), rest.w_u(y)).reshaped();
  const Eigen::Matrix<double, 9, 1> at_x = membrane_gradient(rest, rest.w_v(x), rest.w_u(x)).reshaped();
  return (-level.share * rest.area * s.law.k_d_over_beta) * at_y * at_x.transpose();
}

ParameterDerivative<3> Shear::gradient_by(const Parameter& p, const Stencil<3>& y, const Stencil<3>&,
                                          const Start& s) const {
  if (p.kind == Parameter::kLogShear) return columns<3>(gradient(y, s));
  if (p.kind == Parameter::kLogDamping) return columns<3>(gradient(y, {s.law.dissipation()}));
  return {};
}

}  // namespace keydrape
