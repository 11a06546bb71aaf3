#include "core/energy/stretch.h"

#include <cmath>

#include "core/energy/coupled_stretch.h"

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
  const Vec2 c = conditions(y, s);
  double w = s.warp.value(c(0)) + s.weft.value(c(1));
  if (is_coupled())
    w += CoupledStretch(s.warp, s.weft, coupling, c).value() - s.warp.stored_value(c(0)) -
         s.weft.stored_value(c(1));
  return rest.area * w;
}

Vec2 Stretch::tensions(const Vec2& c, const Start& s) const {
  Vec2 apart(s.warp.tension(c(0)), s.weft.tension(c(1)));
  if (!is_coupled()) return apart;
  return apart + CoupledStretch(s.warp, s.weft, coupling, c).tension() -
         Vec2(s.warp.stored_tension(c(0)), s.weft.stored_tension(c(1)));
}

Mat2 Stretch::with_coupling(const Vec2& apart, const Vec2& c, const Start& s) const {
  Mat2 stiffness = apart.asDiagonal();
  if (!is_coupled()) return stiffness;
  stiffness.diagonal() -= Vec2(s.warp.stored_stiffness(c(0)), s.weft.stored_stiffness(c(1)));
  return stiffness + CoupledStretch(s.warp, s.weft, coupling, c).stiffness();
}

std::array<double, 2> Stretch::tension(const Stencil<3>& y, const Start& s) const {
  const Vec2 sigma = tensions(conditions(y, s), s);
  return {sigma(0), sigma(1)};
}

std::array<double, 2> Stretch::tension_change(const Stencil<3>& y, const Stencil<3>& dy,
                                              const Start& s) const {
  const WarpAndWeft<double> both(rest, y);
  const Vec2 c(both.u_length - s.scale(0), both.v_length - s.scale(1));
  const auto [du, dv] = both.changes(rest, dy);
  if (is_coupled()) {
    const Vec2 change = tensions(c + Vec2(du, dv), s) - tensions(c, s);
    return {change(0), change(1)};
  }
  return {s.warp.tension_change(c(0), du), s.weft.tension_change(c(1), dv)};
}

Stencil<3> Stretch::gradient_with_tension(const Stencil<3>& y, const Vec2& sigma) const {
  return WarpAndWeft<double>(rest, y).gradient(rest, rest.area * sigma(0), rest.area * sigma(1));
}

Stencil<3> Stretch::gradient(const Stencil<3>& y, const Start& s) const {
  return gradient_with_tension(y, tensions(conditions(y, s), s));
}

StencilHessian<3> Stretch::hessian(const Stencil<3>& y, const Start& s) const {
  return hessian_with_tension(y, s, tension(y, s));
}

StencilHessian<3> Stretch::hessian_with_tension(const Stencil<3>& y, const Start& s,
                                                const std::array<double, 2>& sigma) const {
  const WarpAndWeft<double> both(rest, y);
  const Vec2 c(both.u_length - s.scale(0), both.v_length - s.scale(1));
  const Mat2 k = rest.area * with_coupling({s.warp.stiffness(c(0)), s.weft.stiffness(c(1))}, c, s);
  const Mat3 uu = both.by_thread(both.u_along, both.u_length, k(0, 0), rest.area * sigma[0]),
             vv = both.by_thread(both.v_along, both.v_length, k(1, 1), rest.area * sigma[1]);
  if (is_coupled()) return membrane_hessian(rest, uu, k(0, 1) * both.u_along * both.v_along.transpose(), vv);
  StencilHessian<3> h;
  upper_membrane_hessian(rest, uu, vv, h);
  mirror_blocks(h);
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

// By the logarithm of a number of the material.
Vec2 Stretch::tensions_by_number(Parameter::Kind kind, const Vec2& c, const Start& s) const {
  Vec2 apart = Vec2::Zero();
  if (kind == Parameter::kLogWarp) apart(0) = s.warp.tension_by_stiffness(c(0));
  if (kind == Parameter::kLogWeft) apart(1) = s.weft.tension_by_stiffness(c(1));
  if (kind == Parameter::kLogBend) apart << s.warp.tension_by_bend(c(0)), s.weft.tension_by_bend(c(1));
  if (kind == Parameter::kLogDamping)
    apart << s.warp.tension_by_damping(c(0)), s.weft.tension_by_damping(c(1));
  if (!is_coupled() || kind == Parameter::kLogDamping) return apart;
  const CoupledStretch coupled(s.warp, s.weft, coupling, c);
  const Vec2 by_bend(s.warp.stored_tension_by_bend(c(0)), s.weft.stored_tension_by_bend(c(1)));
  if (kind == Parameter::kLogBend) return apart + coupled.tension_by_bend() - by_bend;
  const int i = kind == Parameter::kLogWarp ? 0 : 1;
  const ConditionLaw& law = i == 0 ? s.warp : s.weft;
  apart(i) -= law.stored_tension(c(i)) - by_bend(i);
  return apart + coupled.tension_by_stiffness(i);
}

ParameterDerivative<3> Stretch::gradient_by(const Parameter& p, const Stencil<3>& y, const Stencil<3>&,
                                            const Start& s) const {
  const Vec2 c = conditions(y, s);
  switch (p.kind) {
    case Parameter::kStretchScale: {
      // dc/db = -1 at the end of the step and at its start alike (see start).
      const Mat2 by_shift =
          with_coupling({s.warp.tension_by_shift(c(0)), s.weft.tension_by_shift(c(1))}, c, s);
      return columns<3>(gradient_with_tension(y, -by_shift.col(0)),
                        gradient_with_tension(y, -by_shift.col(1)));
    }
    case Parameter::kLogBend:
      if (!s.warp.curve && !s.weft.curve) return {};
      [[fallthrough]];
    case Parameter::kLogWarp:
    case Parameter::kLogWeft:
    case Parameter::kLogDamping:
      return columns<3>(gradient_with_tension(y, tensions_by_number(p.kind, c, s)));
    default:
      return {};
  }
}

// (|w_u| - b)^2 = min over |d| = b of |w_u - d|^2, and w_u is linear in y.
Mat3 Stretch::stiffness_bound(const Shared& shared, const StiffnessBound& of_step) const {
  const double dt = of_step.dt();
  const auto stiffening = [](const auto& curve) { return curve ? curve->stiffening() : 1.0; };
  const double steepest = stiffening(shared.warp_curve) * stiffening(shared.weft_curve);
  const double shared_k = is_coupled() ? coupling * stored * std::sqrt(k_warp * k_weft * steepest) : 0.0;
  const double warp =
      keydrape::stiffness_bound({stored * k_warp, damping * k_warp, shared.warp_curve.get()}, dt) + shared_k;
  const double weft =
      keydrape::stiffness_bound({stored * k_weft, damping * k_weft, shared.weft_curve.get()}, dt) + shared_k;
  return rest.area * (warp * rest.u * rest.u.transpose() + weft * rest.v * rest.v.transpose());
}

}  // namespace keydrape
