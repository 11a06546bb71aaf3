#include "core/contact/distance/edge_edge_mollifier.h"

#include <Eigen/Geometry>

namespace keydrape {

namespace {

// The two edges' vectors, of which s is a function, and how they depend on the four vertices.
struct EdgeVectors {
  explicit EdgeVectors(const Stencil<4>& x) : p(x.col(1) - x.col(0)), q(x.col(3) - x.col(2)) {}
  double s() const { return p.cross(q).squaredNorm(); }
  Vec3 p, q;
};

// s = p^2 q^2 - (p . q)^2
Stencil<4> gradient_of_s(const EdgeVectors& e) {
  const double pp = e.p.squaredNorm(), qq = e.q.squaredNorm(), pq = e.p.dot(e.q);
  const Vec3 by_p = 2 * (qq * e.p - pq * e.q), by_q = 2 * (pp * e.q - pq * e.p);
  Stencil<4> g;
  g << -by_p, by_p, -by_q, by_q;
  return g;
}

StencilHessian<4> hessian_of_s(const EdgeVectors& e) {
  const double pp = e.p.squaredNorm(), qq = e.q.squaredNorm(), pq = e.p.dot(e.q);
  const Mat3 I = Mat3::Identity();
  const Mat3 by_pp = 2 * (qq * I - e.q * e.q.transpose()), by_qq = 2 * (pp * I - e.p * e.p.transpose());
  const Mat3 by_pq = 4 * e.p * e.q.transpose() - 2 * e.q * e.p.transpose() - 2 * pq * I;
  const Mat3 by_qp = by_pq.transpose();
  StencilHessian<4> h;
  h << by_pp, -by_pp, by_pq, -by_pq,  //
      -by_pp, by_pp, -by_pq, by_pq,   //
      by_qp, -by_qp, by_qq, -by_qq,   //
      -by_qp, by_qp, -by_qq, by_qq;
  return h;
}

}  // namespace

EdgeEdgeMollifier EdgeEdgeMollifier::from_rest(const Stencil<4>& x_rest) {
  const EdgeVectors e(x_rest);
  return {1e-3 * e.p.squaredNorm() * e.q.squaredNorm()};
}

bool EdgeEdgeMollifier::is_active(const Stencil<4>& x) const { return EdgeVectors(x).s() < threshold; }

double EdgeEdgeMollifier::value(const Stencil<4>& x) const {
  if (!is_active(x)) return 1;
  const double z = EdgeVectors(x).s() / threshold;
  return (2 - z) * z;
}

Stencil<4> EdgeEdgeMollifier::gradient(const Stencil<4>& x) const {
  if (!is_active(x)) return Stencil<4>::Zero();
  const EdgeVectors e(x);
  return (2 * (1 - e.s() / threshold) / threshold) * gradient_of_s(e);
}

StencilHessian<4> EdgeEdgeMollifier::hessian(const Stencil<4>& x) const {
  if (!is_active(x)) return StencilHessian<4>::Zero();
  const EdgeVectors e(x);
  const Stencil<4> g = gradient_of_s(e);
  const auto column = g.reshaped();
  return (2 * (1 - e.s() / threshold) / threshold) * hessian_of_s(e) -
         (2 / (threshold * threshold)) * column * column.transpose();
}

}  // namespace keydrape
