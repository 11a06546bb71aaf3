#include "core/energy/strain_limit.h"

#include <cassert>
#include <cmath>
#include <limits>

namespace keydrape {

namespace {

using Mat32 = Eigen::Matrix<double, 3, 2>;

// A step may close this share of what is left to the limit, and no more.
constexpr double kClosing = 0.9;
constexpr int kMaxChords = 50;

Mat32 deformation(const RestTriangle& rest, const Vec2& scale, const Stencil<3>& y) {
  Mat32 F;
  F << rest.w_u(y) / scale(0), rest.w_v(y) / scale(1);
  return F;
}

// F^T F = q1 q1^T lambda(0) + q2 q2^T lambda(1),  lambda(0) >= lambda(1).
struct Spectrum {
  Vec2 lambda, q1, q2;

  explicit Spectrum(const Mat32& F) {
    const Mat2 C = F.transpose() * F;
    const double mean = 0.5 * (C(0, 0) + C(1, 1)), half = 0.5 * (C(0, 0) - C(1, 1));
    const double radius = std::hypot(half, C(0, 1));
    lambda = Vec2(mean + radius, mean - radius);
    const double angle = 0.5 * std::atan2(C(0, 1), half);
    q1 = Vec2(std::cos(angle), std::sin(angle));
    q2 = Vec2(-q1(1), q1(0));
  }
};

double largest(const Mat32& F) { return Spectrum(F).lambda(0); }

double b(double z) {
  if (z >= 1) return 0;
  if (!(z > 0)) return std::numeric_limits<double>::infinity();
  return -(z - 1) * (z - 1) * std::log(z);
}

// b'(z) = (1 - z) q(z)
double q(double z) { return 2 * std::log(z) + 1 - 1 / z; }
double d1b(double z) { return z < 1 ? (1 - z) * q(z) : 0; }

// b'[z, w] = (b'(w) - b'(z))/(w - z), b''(z) for w = z, without loss of digits (L4).  z <= w
double d1b_divided(double z, double w) {
  if (z >= 1) return 0;
  if (w >= 1) return d1b(z) / (z - w);
  const double log_divided = w > z ? std::log1p((w - z) / z) / (w - z) : 1 / z;
  return -q(z) + (1 - w) * (2 * log_divided + 1 / (z * w));
}

// W/A as a function of lambda: f = kappa b(z).
struct Law {
  double kappa, limit2, range;

  explicit Law(const StrainLimit& e)
      : kappa(e.stiffness), limit2(e.limit * e.limit), range(limit2 - e.onset * e.onset) {
    assert(kappa > 0 && range > 0);
  }
  double z(double lambda) const { return (limit2 - lambda) / range; }
  double value(double lambda) const { return kappa * b(z(lambda)); }
  double slope(double lambda) const { return -kappa / range * d1b(z(lambda)); }
  // f'[lambda, mu],  lambda >= mu
  double slope_divided(double lambda, double mu) const {
    return kappa / (range * range) * d1b_divided(z(lambda), z(mu));
  }
};

// The combination of a triangle's vertices that moves w_u alone, by one: a . u = 1, a . v = 0.
Vec3 dual(const Vec3& u, const Vec3& v) {
  return (u * v.squaredNorm() - v * u.dot(v)) / (u.squaredNorm() * v.squaredNorm() - u.dot(v) * u.dot(v));
}

// W depends on w_u/b_u, so that W(s w_u; s b_u) is the same for every s. Differentiated by s and w_u:
//   b_u d(dW/dy)/db_u = -( (dW/dy a) u^T + d2W/dy2 (w_u a^T) ) ,   a = dual(u, v)
Stencil<3> by_scale(const Stencil<3>& g, const StencilHessian<3>& H, const Vec3& w, const Vec3& u,
                    const Vec3& a, double b) {
  const Stencil<3> along = w * a.transpose();
  const Stencil<3> turned = (H * along.reshaped()).reshaped(3, 3);
  return -(g * a * u.transpose() + turned) / b;
}

}  // namespace

StrainLimit::Start StrainLimit::start(const Shared& shared, const StepStart& step,
                                      const StartStencil<3>&) const {
  return {shared.scale.at(step.time)};
}

double StrainLimit::value(const Stencil<3>& y, const Start& s) const {
  const Vec2 lambda = Spectrum(deformation(rest, s.scale, y)).lambda;
  const Law law(*this);
  return rest.area * (law.value(lambda(0)) + law.value(lambda(1)));
}

Stencil<3> StrainLimit::gradient(const Stencil<3>& y, const Start& s) const {
  const Mat32 F = deformation(rest, s.scale, y);
  const Spectrum at(F);
  const Law law(*this);
  if (law.z(at.lambda(0)) >= 1) return Stencil<3>::Zero();
  const Mat2 S = law.slope(at.lambda(0)) * at.q1 * at.q1.transpose() +
                 law.slope(at.lambda(1)) * at.q2 * at.q2.transpose();
  const Mat32 P = 2 * rest.area * F * S;  // (L2)
  return membrane_gradient(rest, P.col(0) / s.scale(0), P.col(1) / s.scale(1));
}

StencilHessian<3> StrainLimit::hessian(const Stencil<3>& y, const Start& s) const {
  const Mat32 F = deformation(rest, s.scale, y);
  const Spectrum at(F);
  const Law law(*this);
  if (law.z(at.lambda(0)) >= 1) return StencilHessian<3>::Zero();
  const double slope1 = law.slope(at.lambda(0)), slope2 = law.slope(at.lambda(1));
  std::array<Mat3, 3> block;  // over (w_u, w_u), (w_u, w_v), (w_v, w_v)
  constexpr int kRow[3] = {0, 0, 1}, kColumn[3] = {0, 1, 1};
  const Vec3 p1 = F * at.q1, p2 = F * at.q2;
  const Mat32 e11 = 2 * p1 * at.q1.transpose(), e22 = 2 * p2 * at.q2.transpose(),
              e12 = p1 * at.q2.transpose() + p2 * at.q1.transpose();
  const double f11 = law.slope_divided(at.lambda(0), at.lambda(0)),
               f22 = law.slope_divided(at.lambda(1), at.lambda(1)),
               f12 = law.slope_divided(at.lambda(0), at.lambda(1));
  for (int k = 0; k < 3; ++k) {  // (L3)
    const int i = kRow[k], j = kColumn[k];
    Mat3 h = f11 * e11.col(i) * e11.col(j).transpose() + f22 * e22.col(i) * e22.col(j).transpose() +
             2 * f12 * e12.col(i) * e12.col(j).transpose();
    h.diagonal().array() += 2 * (slope1 * at.q1(i) * at.q1(j) + slope2 * at.q2(i) * at.q2(j));
    block[k] = (rest.area / (s.scale(i) * s.scale(j))) * h;
  }
  return membrane_hessian(rest, block[0], block[1], block[2]);
}

bool StrainLimit::is_passed(const Stencil<3>& y, const Start& s) const {
  return !(largest(deformation(rest, s.scale, y)) < limit * limit);
}

double StrainLimit::free_share(const Stencil<3>& y, const Stencil<3>& dy, const Start& s) const {
  const Mat32 F = deformation(rest, s.scale, y), dF = deformation(rest, s.scale, dy);
  const double at_start = largest(F), level = at_start + kClosing * (limit * limit - at_start);
  if (largest(F + dF) <= level) return 1;
  // The larger eigenvalue is convex along the way (L6): chords between `t` and `far` meet the level before it
  // does, tangents at `far` after it.
  double t = 0, far = 1, below = level - at_start;
  const double enough = (1 - kClosing) * below;
  for (int k = 0; k < kMaxChords && below > enough; ++k) {
    const Spectrum at_far(F + far * dF);
    const double beyond = at_far.lambda(0) - level;
    if (!(beyond > 0)) break;
    const double next = t + (far - t) * below / (below + beyond);
    const double left = level - largest(F + next * dF);
    if (!(left >= 0)) break;
    t = next, below = left;
    far -= beyond / (2 * ((F + far * dF) * at_far.q1).dot(dF * at_far.q1));
  }
  return t;
}

ParameterDerivative<3> StrainLimit::gradient_by(const Parameter& p, const Stencil<3>& y, const Stencil<3>&,
                                                const Start& s) const {
  switch (p.kind) {
    case Parameter::kStretchScale: {
      const Stencil<3> g = gradient(y, s);
      const StencilHessian<3> H = hessian(y, s);
      return columns<3>(by_scale(g, H, rest.w_u(y), rest.u, dual(rest.u, rest.v), s.scale(0)),
                        by_scale(g, H, rest.w_v(y), rest.v, dual(rest.v, rest.u), s.scale(1)));
    }
    case Parameter::kLogWarp:
      return columns<3>(shares(0) * gradient(y, s));
    case Parameter::kLogWeft:
      return columns<3>(shares(1) * gradient(y, s));
    case Parameter::kLogDensity:
      return columns<3>(shares(2) * gradient(y, s));
    default:
      return {};
  }
}

double largest_stretch(const RestTriangle& rest, const Vec2& scale, const Stencil<3>& y) {
  return std::sqrt(largest(deformation(rest, scale, y)));
}

}  // namespace keydrape
