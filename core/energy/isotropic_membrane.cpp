#include "core/energy/isotropic_membrane.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace keydrape {

namespace {

// F = [p q] and its polar factor, of a triangle with an area.
struct Stretched {
  Vec3 p, q;
  Vec3 n;       // normal
  double area;  // J = |p x q|: product of the principal stretches
  double sum;   // S
  Vec3 r_p, r_q;

  Stretched(const RestTriangle& rest, const Vec2& scale, const Stencil<3>& y)
      : p(rest.w_u(y) / scale(0)), q(rest.w_v(y) / scale(1)) {
    const Vec3 cross = p.cross(q);
    area = cross.norm();
    n = cross / area;
    sum = std::sqrt(p.squaredNorm() + q.squaredNorm() + 2.0 * area);
    r_p = (p + q.cross(n)) / sum;
    r_q = (q + n.cross(p)) / sum;
  }
};

// d2W/dF2 over the area, with a tension of its own  (R3).
struct Blocks {
  Mat3 pp, pq, qq;
};
Blocks blocks(const Stretched& f, double mu, double lambda, double sigma) {
  Mat2 B;
  B << f.r_p.dot(f.p), f.r_p.dot(f.q), f.r_q.dot(f.p), f.r_q.dot(f.q);
  const Mat2 out = sigma * Mat2(0.5 * (B + B.transpose())).inverse();
  const double turn = sigma / f.sum;
  const Mat3 nn = f.n * f.n.transpose();
  Blocks h{lambda * f.r_p * f.r_p.transpose() + turn * f.r_q * f.r_q.transpose() + out(0, 0) * nn,
           lambda * f.r_p * f.r_q.transpose() - turn * f.r_q * f.r_p.transpose() + out(0, 1) * nn,
           lambda * f.r_q * f.r_q.transpose() + turn * f.r_p * f.r_p.transpose() + out(1, 1) * nn};
  h.pp.diagonal().array() += 2.0 * mu;
  h.qq.diagonal().array() += 2.0 * mu;
  return h;
}

// The gradient over the vertices of a function with these derivatives by p and q.
Stencil<3> over_vertices(const RestTriangle& rest, const Vec2& scale, const Vec3& by_p, const Vec3& by_q) {
  return membrane_gradient(rest, by_p / scale(0), by_q / scale(1));
}

}  // namespace

IsotropicMembrane::Start IsotropicMembrane::start(const Shared& shared, const StepStart& step,
                                                  const StartStencil<3>&) const {
  return {shared.scale.at(step.time)};
}

double IsotropicMembrane::value(const Stencil<3>& y, const Start& s) const {
  // sum (sigma_i - 1)^2 = |F|^2 - 2 S + 2  (R2)
  const Stretched f(rest, s.scale, y);
  const double squares = f.p.squaredNorm() + f.q.squaredNorm();
  return rest.area * (mu * (squares - 2.0 * f.sum + 2.0) + 0.5 * lambda * (f.sum - 2.0) * (f.sum - 2.0));
}

std::array<double, 1> IsotropicMembrane::tension(const Stencil<3>& y, const Start& s) const {
  return {lambda * (Stretched(rest, s.scale, y).sum - 2.0) - 2.0 * mu};
}

std::array<double, 1> IsotropicMembrane::tension_change(const Stencil<3>& y, const Stencil<3>& dy,
                                                        const Start& s) const {
  const Stretched f(rest, s.scale, y);
  return {lambda * (f.r_p.dot(rest.w_u(dy)) / s.scale(0) + f.r_q.dot(rest.w_v(dy)) / s.scale(1))};
}

Stencil<3> IsotropicMembrane::gradient(const Stencil<3>& y, const Start& s) const {
  // dW/dF = A (2 mu F + sigma R)  (R2)
  const Stretched f(rest, s.scale, y);
  const double sigma = lambda * (f.sum - 2.0) - 2.0 * mu;
  return over_vertices(rest, s.scale, rest.area * (2.0 * mu * f.p + sigma * f.r_p),
                       rest.area * (2.0 * mu * f.q + sigma * f.r_q));
}

StencilHessian<3> IsotropicMembrane::hessian(const Stencil<3>& y, const Start& s) const {
  return hessian_with_tension(y, s, tension(y, s));
}

StencilHessian<3> IsotropicMembrane::hessian_with_tension(const Stencil<3>& y, const Start& s,
                                                          const std::array<double, 1>& sigma) const {
  const Blocks h = blocks(Stretched(rest, s.scale, y), mu, lambda, sigma[0]);
  const double u = s.scale(0), v = s.scale(1);
  return membrane_hessian(rest, rest.area / (u * u) * h.pp, rest.area / (u * v) * h.pq,
                          rest.area / (v * v) * h.qq);
}

double IsotropicMembrane::least_tension(const Stencil<3>& y, const Start& s) const {
  const Stretched f(rest, s.scale, y);
  const double smaller = 0.5 * (f.sum - std::sqrt(std::max(0.0, f.sum * f.sum - 4.0 * f.area)));
  return -2.0 * mu * smaller;
}

ParameterDerivative<3> IsotropicMembrane::gradient_by(const Parameter& p, const Stencil<3>& y,
                                                      const Stencil<3>&, const Start& s) const {
  if (p.kind != Parameter::kStretchScale) return {};
  // F = w/b, and the gradient over the vertices has another 1/b.
  const Stretched f(rest, s.scale, y);
  const double sigma = tension(y, s)[0], u = s.scale(0), v = s.scale(1);
  const Blocks h = blocks(f, mu, lambda, sigma);
  const Vec3 by_p = 2.0 * mu * f.p + sigma * f.r_p, by_q = 2.0 * mu * f.q + sigma * f.r_q;
  return columns<3>(membrane_gradient(rest, -rest.area / (u * u) * (by_p + h.pp * f.p),
                                      -rest.area / (u * v) * (h.pq.transpose() * f.p)),
                    membrane_gradient(rest, -rest.area / (u * v) * (h.pq * f.q),
                                      -rest.area / (v * v) * (by_q + h.qq * f.q)));
}

// At unit scale; while S is less than 2 + 2 mu/lambda, sigma < 0 (R2), and (R : dF)^2 <= 2 |dF|^2.
Mat3 IsotropicMembrane::stiffness_bound(const Shared&, const StiffnessBound&) const {
  return rest.area * 2.0 * (mu + lambda) * (rest.u * rest.u.transpose() + rest.v * rest.v.transpose());
}

}  // namespace keydrape
