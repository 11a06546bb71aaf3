#include "core/contact/pair_friction.h"

#include <cmath>

#include "core/contact/distance/edge_edge_distance.h"
#include "core/contact/distance/vertex_face_distance.h"

namespace keydrape {

namespace {

// k m b(D), m = 1 but for edges, as a function of the distance d: its slope is the load, and that slope's
// own.
struct Load {
  double value;  // -dW/dd [N]
  double by_d;   // [N/m]
};

Load load_at(double k, double d, const Barrier& barrier) {
  const double D = d * d, b1 = barrier.derivative(D), b2 = barrier.second_derivative(D);
  return {-2 * k * d * b1, -k * (2 * b1 + 4 * D * b2)};
}

}  // namespace

// (G15) to (G17)
PairFriction::PairFriction(const std::array<int, 4>& pair, const Stencil<4>& x,
                           const StencilDistance& distance)
    : vertices(pair), start(x), weights(distance.weights()), weights_by_x(distance.weights_by_x()) {
  const double d = std::sqrt(distance.squared());
  normal = distance.difference() / d;
  const Eigen::Matrix<double, 3, 12> w_by_x = distance.difference_by_x();
  normal_by_x = (w_by_x - normal * (normal.transpose() * w_by_x)) / d;
  // Of d, for now: the load is a function of it.
  load = d;
  for (int i = 0; i < 4; ++i) load_by_x.segment<3>(3 * i) = weights[i] * normal;
}

PairFriction::PairFriction(const VertexFaceContact& contact, const Stencil<4>& x, const Barrier& barrier,
                           double mu)
    : PairFriction(contact.vertices, x, vertex_face_distance(x)) {
  const Load lambda = load_at(contact.k, load, barrier);
  load = mu * lambda.value;
  load_by_x *= mu * lambda.by_d;
}

PairFriction::PairFriction(const EdgeEdgeContact& contact, const Stencil<4>& x, const Barrier& barrier,
                           double mu)
    : PairFriction(contact.vertices, x, edge_edge_distance(x)) {
  const Load lambda = load_at(contact.k, load, barrier);
  const double m = contact.mollifier.value(x);
  load = mu * m * lambda.value;
  load_by_x *= mu * m * lambda.by_d;
  load_by_x += mu * lambda.value * contact.mollifier.gradient(x).reshaped().transpose();
}

Vec3 PairFriction::slip(const Stencil<4>& y) const { return (y - start) * weights; }

Vec3 PairFriction::sliding(const Stencil<4>& y) const {
  const Vec3 q = slip(y);
  return q - normal * normal.dot(q);
}

double PairFriction::value(const Stencil<4>& y, const FrictionLaw& law) const {
  return load * law.value(sliding(y));
}

Stencil<4> PairFriction::gradient(const Stencil<4>& y, const FrictionLaw& law) const {
  return load * law.gradient(sliding(y)) * weights.transpose();
}

StencilHessian<4> PairFriction::hessian(const Stencil<4>& y, const FrictionLaw& law) const {
  const Mat3 P = Mat3::Identity() - normal * normal.transpose();
  const Mat3 K = load * P * law.hessian(sliding(y)) * P;
  StencilHessian<4> h;
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) h.block<3, 3>(3 * i, 3 * j) = weights[i] * weights[j] * K;
  return h;
}

// (B11), (B12)
StencilHessian<4> PairFriction::start_derivative(const Stencil<4>& y, const FrictionLaw& law) const {
  const Vec3 q = slip(y), w = sliding(y), F = law.gradient(w);
  Eigen::Matrix<double, 3, 12> q_by_x = (y - start) * weights_by_x;
  for (int i = 0; i < 4; ++i) q_by_x.block<3, 3>(0, 3 * i) -= weights[i] * Mat3::Identity();
  const Eigen::Matrix<double, 3, 12> w_by_x =
      q_by_x - normal * (normal.transpose() * q_by_x + q.transpose() * normal_by_x) -
      normal.dot(q) * normal_by_x;
  const Eigen::Matrix<double, 3, 12> force_by_x = F * load_by_x + load * law.hessian(w) * w_by_x;
  StencilHessian<4> h;
  for (int i = 0; i < 4; ++i)
    h.middleRows<3>(3 * i) = weights[i] * force_by_x + load * F * weights_by_x.row(i);
  return h;
}

}  // namespace keydrape
