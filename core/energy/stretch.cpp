#include "core/energy/stretch.h"

namespace keydrape {

Stretch::Start Stretch::start(const Shared& shared, const StepStart& step, const StartStencil<3>& at) const {
  const Vec2 scale = shared.scale.at(step.time);
  // The condition at the start is taken with the end's scale: growing cloth is not slowed down
  // by its damping.
  const auto warp = [&](const Stencil<3>& x) { return rest.w_u(x).norm() - scale(0); };
  const auto weft = [&](const Stencil<3>& x) { return rest.w_v(x).norm() - scale(1); };
  const double beta = step.scheme().beta;
  return {
      {k_warp, damping * k_warp / beta, step.start_condition(warp(at.x), [&] { return warp(at.x_before); })},
      {k_weft, damping * k_weft / beta, step.start_condition(weft(at.x), [&] { return weft(at.x_before); })},
      scale};
}

double Stretch::value(const Stencil<3>& y, const Start& s) const {
  return rest.area *
         (s.warp.value(rest.w_u(y).norm() - s.scale(0)) + s.weft.value(rest.w_v(y).norm() - s.scale(1)));
}

std::array<double, 2> Stretch::tension(const Stencil<3>& y, const Start& s) const {
  return {s.warp.tension(rest.w_u(y).norm() - s.scale(0)), s.weft.tension(rest.w_v(y).norm() - s.scale(1))};
}

std::array<double, 2> Stretch::tension_change(const Stencil<3>& y, const Stencil<3>& dy,
                                              const Start& s) const {
  return {s.warp.stiffness() * rest.w_u(y).normalized().dot(rest.w_u(dy)),
          s.weft.stiffness() * rest.w_v(y).normalized().dot(rest.w_v(dy))};
}

Stencil<3> Stretch::gradient(const Stencil<3>& y, const Start& s) const {
  const Vec3 wu = rest.w_u(y), wv = rest.w_v(y);
  const double lu = wu.norm(), lv = wv.norm();
  return membrane_gradient(rest, wu * (rest.area * s.warp.tension(lu - s.scale(0)) / lu),
                           wv * (rest.area * s.weft.tension(lv - s.scale(1)) / lv));
}

StencilHessian<3> Stretch::hessian(const Stencil<3>& y, const Start& s) const {
  return hessian_with_tension(y, s, tension(y, s));
}

StencilHessian<3> Stretch::hessian_with_tension(const Stencil<3>& y, const Start& s,
                                                const std::array<double, 2>& sigma) const {
  // d2W/dw_u2 = A ( w'' n n^T + sigma/|w_u| (I - n n^T) ) ,  n = w_u/|w_u|
  const auto block = [&](const Vec3& w, double stiffness, double tension) -> Mat3 {
    const double l = w.norm();
    const Vec3 n = w / l;
    Mat3 h = (rest.area * (stiffness - tension / l)) * n * n.transpose();
    h.diagonal().array() += rest.area * tension / l;
    return h;
  };
  const Mat3 uu = block(rest.w_u(y), s.warp.stiffness(), sigma[0]);
  const Mat3 vv = block(rest.w_v(y), s.weft.stiffness(), sigma[1]);
  StencilHessian<3> h;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      h.block<3, 3>(3 * a, 3 * b) = (rest.u(a) * rest.u(b)) * uu + (rest.v(a) * rest.v(b)) * vv;
  return h;
}

StencilHessian<3> Stretch::cross_x(const Stencil<3>& y, const Stencil<3>& x, const Start& s,
                                   const StepScheme::Level& level) const {
  // Only c* depends on x:  d2W/dy dx = -share A k_d/beta  grad c(y) grad c(x)^T
  const Mat3 uu = (-level.share * rest.area * s.warp.k_d_over_beta) * rest.w_u(y).normalized() *
                  rest.w_u(x).normalized().transpose();
  const Mat3 vv = (-level.share * rest.area * s.weft.k_d_over_beta) * rest.w_v(y).normalized() *
                  rest.w_v(x).normalized().transpose();
  StencilHessian<3> h;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      h.block<3, 3>(3 * a, 3 * b) = (rest.u(a) * rest.u(b)) * uu + (rest.v(a) * rest.v(b)) * vv;
  return h;
}

ParameterDerivative<3> Stretch::gradient_by(const Parameter& p, const Stencil<3>& y, const Stencil<3>&,
                                            const Start& s) const {
  switch (p.kind) {
    case Parameter::kStretchScale: {
      // dc/db = -1 at the end of the step and at its start alike (see start), so that only what is stored
      // counts:  d2W/dw_u db_u = -A k_warp w_u/|w_u|
      const Vec3 zero = Vec3::Zero();
      const Vec3 u = (-rest.area * k_warp) * rest.w_u(y).normalized();
      const Vec3 v = (-rest.area * k_weft) * rest.w_v(y).normalized();
      return columns<3>(membrane_gradient(rest, u, zero), membrane_gradient(rest, zero, v));
    }
    case Parameter::kLogWarp:
      return columns<3>(gradient(y, {s.warp, {}, s.scale}));
    case Parameter::kLogWeft:
      return columns<3>(gradient(y, {{}, s.weft, s.scale}));
    case Parameter::kLogDamping:
      return columns<3>(gradient(y, {s.warp.dissipation(), s.weft.dissipation(), s.scale}));
    default:
      return {};
  }
}

}  // namespace keydrape
