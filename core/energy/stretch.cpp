#include "core/energy/stretch.h"

namespace keydrape {

Stretch::Start Stretch::start(const Shared& shared, const StepStart& step, const StartStencil<3>& at) const {
  const Vec2 scale = shared.scale.at(step.time);
  // The condition at the start is taken with the end's scale: growing cloth is not slowed down
  // by its damping.
  const auto warp = [&](const Stencil<3>& x) { return rest.w_u(x).norm() - scale(0); };
  const auto weft = [&](const Stencil<3>& x) { return rest.w_v(x).norm() - scale(1); };
  return {condition_law({stored * k_warp, damping * k_warp, shared.warp_curve.get()}, step, warp(at.x),
                        [&] { return warp(at.x_before); }),
          condition_law({stored * k_weft, damping * k_weft, shared.weft_curve.get()}, step, weft(at.x),
                        [&] { return weft(at.x_before); }),
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
  const Vec3 wu = rest.w_u(y), wv = rest.w_v(y);
  return {s.warp.tension_change(wu.norm() - s.scale(0), wu.normalized().dot(rest.w_u(dy))),
          s.weft.tension_change(wv.norm() - s.scale(1), wv.normalized().dot(rest.w_v(dy)))};
}

Stencil<3> Stretch::gradient_with_tension(const Stencil<3>& y, double warp, double weft) const {
  const Vec3 wu = rest.w_u(y), wv = rest.w_v(y);
  return membrane_gradient(rest, wu * (rest.area * warp / wu.norm()), wv * (rest.area * weft / wv.norm()));
}

Stencil<3> Stretch::gradient(const Stencil<3>& y, const Start& s) const {
  const auto [warp, weft] = tension(y, s);
  return gradient_with_tension(y, warp, weft);
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
  const Vec3 wu = rest.w_u(y), wv = rest.w_v(y);
  const Mat3 uu = block(wu, s.warp.stiffness(wu.norm() - s.scale(0)), sigma[0]);
  const Mat3 vv = block(wv, s.weft.stiffness(wv.norm() - s.scale(1)), sigma[1]);
  StencilHessian<3> h;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      h.block<3, 3>(3 * a, 3 * b) = (rest.u(a) * rest.u(b)) * uu + (rest.v(a) * rest.v(b)) * vv;
  return h;
}

StencilHessian<3> Stretch::cross_x(const Stencil<3>& y, const Stencil<3>& x, const Start& s,
                                   const StepScheme::Level& level) const {
  // What the law keeps of x:  d2W/dy dx = A d(tension)/dc(x)  grad c(y) grad c(x)^T
  const Vec3 wu = rest.w_u(y), wv = rest.w_v(y);
  const Mat3 uu = (rest.area * s.warp.tension_by_start(wu.norm() - s.scale(0), level)) * wu.normalized() *
                  rest.w_u(x).normalized().transpose();
  const Mat3 vv = (rest.area * s.weft.tension_by_start(wv.norm() - s.scale(1), level)) * wv.normalized() *
                  rest.w_v(x).normalized().transpose();
  StencilHessian<3> h;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      h.block<3, 3>(3 * a, 3 * b) = (rest.u(a) * rest.u(b)) * uu + (rest.v(a) * rest.v(b)) * vv;
  return h;
}

ParameterDerivative<3> Stretch::gradient_by(const Parameter& p, const Stencil<3>& y, const Stencil<3>&,
                                            const Start& s) const {
  const double warp = rest.w_u(y).norm() - s.scale(0), weft = rest.w_v(y).norm() - s.scale(1);
  switch (p.kind) {
    case Parameter::kStretchScale:
      // dc/db = -1 at the end of the step and at its start alike (see start).
      return columns<3>(gradient_with_tension(y, -s.warp.tension_by_shift(warp), 0.0),
                        gradient_with_tension(y, 0.0, -s.weft.tension_by_shift(weft)));
    case Parameter::kLogWarp:
      return columns<3>(gradient_with_tension(y, s.warp.tension_by_stiffness(warp), 0.0));
    case Parameter::kLogWeft:
      return columns<3>(gradient_with_tension(y, 0.0, s.weft.tension_by_stiffness(weft)));
    case Parameter::kLogBend:
      if (!s.warp.curve && !s.weft.curve) return {};
      return columns<3>(gradient_with_tension(y, s.warp.tension_by_bend(warp), s.weft.tension_by_bend(weft)));
    case Parameter::kLogDamping:
      return columns<3>(
          gradient_with_tension(y, s.warp.tension_by_damping(warp), s.weft.tension_by_damping(weft)));
    default:
      return {};
  }
}

}  // namespace keydrape
