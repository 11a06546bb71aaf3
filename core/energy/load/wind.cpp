#include "core/energy/load/wind.h"

#include <algorithm>
#include <cmath>

#include "core/energy/load/area_vector.h"

namespace keydrape {

// With the area vector a = A n, the force and the damping force read
//   f = L s (r.a)/A a + (D - L) (r.a)^2/(A s) r ,      q = K s (a.z)/A a + P p ,
//   K = (D + L)/beta ,   p = z - (a.z)/A^2 a ,
//   P = max(D - L, 0)/beta (r.a)^2/(A s) + max(L - D, 0)/beta A s
// where s = |r|, D and L are drag_factor and lift_factor, z = y_bar - x*_bar - beta v'_bar, and W's gradient
// by each vertex is (q - f)/3.

namespace {

Mat3 across(const Vec3& n) { return Mat3::Identity() - n * n.transpose(); }

// d( (r.a)/|a| a )/da
Mat3 projected_derivative(const Vec3& r, const Vec3& a) {
  const double A = a.norm(), ra = r.dot(a);
  Mat3 m = a * r.transpose() / A - (ra / (A * A * A)) * a * a.transpose();
  m.diagonal().array() += ra / A;
  return m;
}

// d( (r.a)^2/|a| )/da
Vec3 facing_derivative(const Vec3& r, const Vec3& a) {
  const double A = a.norm(), ra = r.dot(a);
  return 2 * ra / A * r - ra * ra / (A * A * A) * a;
}

// d(q - f)/da, d(q - f)/dr and dq/dz
struct Derivatives {
  Mat3 by_area_vector, by_flow, by_displacement;
};

Derivatives differentiate(const Wind::Start& s, const Vec3& a, const Vec3& z) {
  const double A = a.norm(), ra = s.r.dot(a), drag_minus_lift = s.drag_factor - s.lift_factor;
  const double K = (s.drag_factor + s.lift_factor) / s.beta;
  const Mat3 aa = a * a.transpose() / A;

  const Mat3 f_by_a = s.lift_factor * s.speed * projected_derivative(s.r, a) +
                      (drag_minus_lift / s.speed) * s.r * facing_derivative(s.r, a).transpose();
  Mat3 f_by_r = s.lift_factor * ((ra / (A * s.speed)) * a * s.r.transpose() + s.speed * aa) +
                (drag_minus_lift / s.speed) * s.r *
                    (2 * ra / A * a - ra * ra / (A * s.speed * s.speed) * s.r).transpose();
  f_by_r.diagonal().array() += drag_minus_lift * ra * ra / (A * s.speed);

  // P = per_facing (r.a)^2/A + per_area A
  const double per_facing = std::max(drag_minus_lift, 0.0) / (s.beta * s.speed);
  const double per_area = std::max(-drag_minus_lift, 0.0) * s.speed / s.beta;
  const double P = per_facing * ra * ra / A + per_area * A, az = a.dot(z) / (A * A);
  const Vec3 p = z - az * a;
  Mat3 p_by_a = (2 * az / (A * A)) * a * a.transpose() - a * z.transpose() / (A * A);
  p_by_a.diagonal().array() -= az;
  const Vec3 P_by_a = per_facing * facing_derivative(s.r, a) + per_area / A * a;
  const Vec3 P_by_r = per_facing * ra / A * (2 * a - ra / (s.speed * s.speed) * s.r) +
                      per_area * A / (s.speed * s.speed) * s.r;

  const Mat3 q_by_a = K * s.speed * projected_derivative(z, a) + P * p_by_a + p * P_by_a.transpose();
  const Mat3 q_by_r = (K * a.dot(z) / (A * s.speed)) * a * s.r.transpose() + p * P_by_r.transpose();
  return {q_by_a - f_by_a, q_by_r - f_by_r, K * s.speed * aa + P * across(a / A)};
}

// dq/dz
Mat3 damping(const Wind::Start& s) {
  return s.G_over_beta * s.normal * s.normal.transpose() + s.T_over_beta * across(s.normal);
}

}  // namespace

Wind::Shared Wind::Shared::at_step(const StepStart& start) const {
  Shared made = *this;
  if (!frame) return made;
  const CarriedPoint moved = carried_point(*frame, start);
  const StepScheme scheme = start.scheme();
  const double share = frame->air.at(start.time);
  const auto carried = [&](const CarriedPoint::Level& l, const StepScheme::Level& counts) {
    const AffineMap air{share * counts.lag * l.velocity.A, share * counts.lag * l.velocity.b};
    const Mat3 turn = l.carry.A - Mat3::Identity();
    return Carried{air,
                   {share * counts.share * turn - scheme.beta * air.A,
                    share * counts.share * l.carry.b - scheme.beta * air.b}};
  };
  made.by_start = carried(moved.start, scheme.start);
  if (scheme.has_before()) made.by_before = carried(moved.before, scheme.before);
  return made;
}

Wind::Start Wind::start(const Shared& shared, const StepStart& step, const StartStencil<3>& at) const {
  const StepScheme scheme = step.scheme();
  const Vec3 v = at.lagged_v(scheme).rowwise().mean();
  const double half_density = 0.5 * shared.air_density.at(step.time);
  Start s;
  s.beta = scheme.beta;
  s.x = at.lagged_x(scheme);
  s.drag_factor = half_density * shared.drag.at(step.time);
  s.lift_factor = half_density * shared.lift.at(step.time);
  s.by_start = shared.by_start;
  s.by_before = shared.by_before;
  const Vec3 mean = at.x.rowwise().mean(), mean_before = at.x_before.rowwise().mean();
  s.r = shared.velocity.at(step.time) + s.by_start.air(mean) + s.by_before.air(mean_before) - v;
  s.speed = std::sqrt(s.r.squaredNorm() + kSpeedSmoothing * kSpeedSmoothing);
  const Vec3 a = area_vector(s.x);
  const double A = a.norm();
  s.normal = a / A;
  const double rn = s.r.dot(s.normal);
  s.force = A * (s.lift_factor * s.speed * rn * s.normal +
                 (s.drag_factor - s.lift_factor) * (rn * rn / s.speed) * s.r);
  s.predicted =
      at.star_x(scheme).rowwise().mean() + s.beta * v + s.by_start.way(mean) + s.by_before.way(mean_before);
  s.G_over_beta = A * s.speed * (s.drag_factor + s.lift_factor) / s.beta;
  const double drag_minus_lift = s.drag_factor - s.lift_factor;
  s.T_over_beta =
      A * (std::max(drag_minus_lift, 0.0) * rn * rn / s.speed + std::max(-drag_minus_lift, 0.0) * s.speed) /
      s.beta;
  return s;
}

double Wind::value(const Stencil<3>& y, const Start& s) const {
  const Vec3 mean = y.rowwise().mean();
  const Vec3 z = mean - s.predicted;
  const double along = z.dot(s.normal);
  return -s.force.dot(mean) + 0.5 * s.G_over_beta * along * along +
         0.5 * s.T_over_beta * (z - along * s.normal).squaredNorm();
}

Stencil<3> Wind::gradient(const Stencil<3>& y, const Start& s) const {
  return ((damping(s) * (y.rowwise().mean() - s.predicted) - s.force) / 3).replicate<1, 3>();
}

StencilHessian<3> Wind::hessian(const Stencil<3>&, const Start& s) const {
  return (damping(s) / 9).replicate<3, 3>();
}

StencilHessian<3> Wind::cross_x(const Stencil<3>& y, const Stencil<3>&, const Start& s,
                                const StepScheme::Level& level) const {
  const Derivatives d = differentiate(s, area_vector(s.x), y.rowwise().mean() - s.predicted);
  const Shared::Carried& carried = is_start(level) ? s.by_start : s.by_before;
  const Mat3 by_mean = d.by_flow * carried.air.A - d.by_displacement * carried.way.A;
  StencilHessian<3> h;
  for (int b = 0; b < 3; ++b) {
    const Mat3 block = (level.lag * d.by_area_vector * area_vector_by(s.x, b) -
                        level.share * d.by_displacement / 3 + by_mean / 3) /
                       3;
    h.middleCols<3>(3 * b) = block.replicate<3, 1>();
  }
  return h;
}

StencilHessian<3> Wind::cross_v(const Stencil<3>& y, const Start& s, const StepScheme::Level& level) const {
  const Derivatives d = differentiate(s, area_vector(s.x), y.rowwise().mean() - s.predicted);
  return (level.lag * (d.by_flow + s.beta * d.by_displacement) / -9).replicate<3, 3>();
}

ParameterDerivative<3> Wind::gradient_by(const Parameter& p, const Stencil<3>& y, const Stencil<3>&,
                                         const Start& s) const {
  if (p.kind != Parameter::kAir) return {};
  // r = air - v'_bar, and v'_bar counts also in z, by beta dq/dz. Hence from D by v', whose blocks are all
  // alike:  d(q - f)/3 / dr = -3 D - beta/3 dq/dz
  const Mat3 D = cross_v(y, s, implicit_euler(s.beta).start).topLeftCorner<3, 3>();
  const Mat3 by_flow = -3.0 * D - s.beta / 3.0 * damping(s);
  return by_flow.replicate<3, 1>();
}

}  // namespace keydrape
