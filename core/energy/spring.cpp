#include "core/energy/spring.h"

#include <cmath>

namespace keydrape {

namespace {

// The Hessian over (x0, x1) of a function of x1 - x0.
StencilHessian<2> over_both_ends(const Mat3& h) {
  StencilHessian<2> H;
  H << h, -h, -h, h;
  return H;
}

Vec3 difference(const Stencil<2>& y) { return y.col(1) - y.col(0); }

}  // namespace

double Spring::length(const Stencil<2>& y) const {
  return std::sqrt(difference(y).squaredNorm() + smoothing() * smoothing());
}

Spring::Start Spring::start(const Shared& shared, const StepStart& step, const StartStencil<2>& at) const {
  const double stiffness = k * g * g;
  return {condition_law({stiffness, damping * stiffness, shared.curve.get()}, step, condition(at.x),
                        [&] { return condition(at.x_before); })};
}

double Spring::value(const Stencil<2>& y, const Start& s) const {
  return s.law.value(condition(y)) - 0.5 * k * smoothing() * smoothing();
}

std::array<double, 1> Spring::tension(const Stencil<2>& y, const Start& s) const {
  return {s.law.tension(condition(y))};
}

std::array<double, 1> Spring::tension_change(const Stencil<2>& y, const Stencil<2>& dy,
                                             const Start& s) const {
  return {s.law.tension_change(condition(y), difference(y).dot(difference(dy)) / (length(y) * g))};
}

Stencil<2> Spring::gradient(const Stencil<2>& y, const Start& s) const {
  const Vec3 force = (s.law.tension(condition(y)) / (length(y) * g)) * difference(y);
  Stencil<2> gradient;
  gradient << -force, force;
  return gradient;
}

StencilHessian<2> Spring::hessian(const Stencil<2>& y, const Start& s) const {
  return hessian_with_tension(y, s, tension(y, s));
}

StencilHessian<2> Spring::hessian_with_tension(const Stencil<2>& y, const Start& s,
                                               const std::array<double, 1>& sigma) const {
  // w'' n n^T/g^2 + sigma/(g l) (I - n n^T) ,  n = (x1 - x0)/l = grad l
  const double l = length(y);
  const Vec3 n = difference(y) / l;
  Mat3 h = (s.law.stiffness(condition(y)) / (g * g) - sigma[0] / (g * l)) * n * n.transpose();
  h.diagonal().array() += sigma[0] / (g * l);
  return over_both_ends(h);
}

Eigen::Matrix2d Spring::stiffness_bound(const Shared& shared, const StiffnessBound& of_step) const {
  const double bound = keydrape::stiffness_bound({k, damping * k, shared.curve.get()}, of_step.dt());
  return (Eigen::Matrix2d() << bound, -bound, -bound, bound).finished();
}

StencilHessian<2> Spring::cross_x(const Stencil<2>& y, const Stencil<2>& x, const Start& s,
                                  const StepScheme::Level& level) const {
  // What the law keeps of x:  d2W/dy dx = d(tension)/dc(x)  grad l(y) grad l(x)^T
  const Vec3 at_y = difference(y) / length(y), at_x = difference(x) / length(x);
  return over_both_ends(s.law.tension_by_start(condition(y), level) / (g * g) * at_y * at_x.transpose());
}

}  // namespace keydrape
