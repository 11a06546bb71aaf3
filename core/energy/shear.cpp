#include "core/energy/shear.h"

namespace keydrape {

Shear::Start Shear::start(const Shared& shared, const StepStart& step, const StartStencil<3>& at) const {
  const auto condition = [&](const Stencil<3>& x) { return rest.w_u(x).dot(rest.w_v(x)); };
  return {condition_law({stored * k, damping * k, shared.curve.get(), shared.hysteresis}, step,
                        condition(at.x), [&] { return condition(at.x_before); })};
}

double Shear::value(const Stencil<3>& y, const Start& s) const {
  return rest.area * s.law.value(rest.w_u(y).dot(rest.w_v(y)));
}

std::array<double, 1> Shear::tension(const Stencil<3>& y, const Start& s) const {
  return {s.law.tension(rest.w_u(y).dot(rest.w_v(y)))};
}

std::array<double, 1> Shear::tension_change(const Stencil<3>& y, const Stencil<3>& dy, const Start& s) const {
  const Vec3 wu = rest.w_u(y), wv = rest.w_v(y);
  return {s.law.tension_change(wu.dot(wv), wu.dot(rest.w_v(dy)) + wv.dot(rest.w_u(dy)))};
}

Stencil<3> Shear::gradient_with_tension(const Stencil<3>& y, double sigma) const {
  return membrane_gradient(rest, rest.area * sigma * rest.w_v(y), rest.area * sigma * rest.w_u(y));
}

Stencil<3> Shear::gradient(const Stencil<3>& y, const Start& s) const {
  return gradient_with_tension(y, tension(y, s)[0]);
}

StencilHessian<3> Shear::hessian(const Stencil<3>& y, const Start& s) const {
  return hessian_with_tension(y, s, tension(y, s));
}

StencilHessian<3> Shear::hessian_with_tension(const Stencil<3>& y, const Start& s,
                                              const std::array<double, 1>& sigma) const {
  const Vec3 wu = rest.w_u(y), wv = rest.w_v(y);
  StencilHessian<3> h;
  shear_hessian(rest, wu, wv, rest.area * s.law.stiffness(wu.dot(wv)), rest.area * sigma[0], h);
  mirror_blocks(h);
  return h;
}

StencilHessian<3> Shear::cross_x(const Stencil<3>& y, const Stencil<3>& x, const Start& s,
                                 const StepScheme::Level& level) const {
  const Eigen::Matrix<double, 9, 1> at_y = membrane_gradient(rest, rest.w_v(y), rest.w_u(y)).reshaped();
  const Eigen::Matrix<double, 9, 1> at_x = membrane_gradient(rest, rest.w_v(x), rest.w_u(x)).reshaped();
  const double c = rest.w_u(y).dot(rest.w_v(y));
  return (rest.area * s.law.tension_by_start(c, level)) * at_y * at_x.transpose();
}

ParameterDerivative<3> Shear::gradient_by(const Parameter& p, const Stencil<3>& y, const Stencil<3>&,
                                          const Start& s) const {
  const double c = rest.w_u(y).dot(rest.w_v(y));
  if (p.kind == Parameter::kLogShear)
    return columns<3>(gradient_with_tension(y, s.law.tension_by_stiffness(c)));
  if (p.kind == Parameter::kLogDamping)
    return columns<3>(gradient_with_tension(y, s.law.tension_by_damping(c)));
  return {};
}

// (w_u . dw_v + w_v . dw_u)^2 <= 2 (|dw_u|^2 + |dw_v|^2) at unit stretch.
Mat3 Shear::stiffness_bound(const Shared& shared, const StiffnessBound& of_step) const {
  const double bound = keydrape::stiffness_bound(
      {stored * k, damping * k, shared.curve.get(), shared.hysteresis}, of_step.dt());
  return rest.area * 2.0 * bound * (rest.u * rest.u.transpose() + rest.v * rest.v.transpose());
}

}  // namespace keydrape
