#include "core/contact/pairs/pair_friction.h"

#include <cmath>

namespace keydrape {

namespace {

// k m b(D), m = 1 but for edges, as a function of the distance d: its slope is the load, and
// that slope's own.
struct Load {
  double value;  // -dW/dd [N]
  double by_d;   // [N/m]
};

Load load_at(double k, const StencilDistance& distance, const Barrier& barrier) {
  const double D = distance.squared(), d = std::sqrt(D);
  const double b1 = barrier.derivative(D), b2 = barrier.second_derivative(D);
  return {-2 * k * d * b1, -k * (2 * b1 + 4 * D * b2)};
}

}  // namespace

PairFriction::PairFriction(const std::array<int, 4>& pair, const StencilDistance& distance, double of_load)
    : vertices(pair),
      weights(distance.weights()),
      normal(distance.difference() / std::sqrt(distance.squared())),
      load(of_load) {}

PairFriction::PairFriction(const VertexFaceContact& contact, const Stencil<4>&,
                           const StencilDistance& distance, const Barrier& barrier, double mu)
    : PairFriction(contact.vertices, distance, mu * load_at(contact.k, distance, barrier).value) {}

PairFriction::PairFriction(const EdgeEdgeContact& contact, const Stencil<4>& x,
                           const StencilDistance& distance, const Barrier& barrier, double mu)
    : PairFriction(contact.vertices, distance,
                   mu * contact.mollifier.value(x) * load_at(contact.k, distance, barrier).value) {}

void PairFriction::linearize(const Stencil<4>& expected, const FrictionLaw& law) {
  stiffness = law.linearized(sliding(expected)).stiffness;
}

Vec3 PairFriction::sliding(const Stencil<4>& move) const {
  const Vec3 q = slip(move);
  return q - normal * normal.dot(q);
}

double PairFriction::value(const Stencil<4>& move, const FrictionLaw& law) const {
  return load * own(law).value(sliding(move));
}

Stencil<4> PairFriction::gradient(const Stencil<4>& move, const FrictionLaw& law) const {
  return load * own(law).gradient(sliding(move)) * weights.transpose();
}

StencilHessian<4> PairFriction::hessian(const Stencil<4>& move, const FrictionLaw& law) const {
  const Mat3 P = Mat3::Identity() - normal * normal.transpose();
  const Mat3 K = load * P * own(law).hessian(sliding(move)) * P;
  StencilHessian<4> h;
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) h.block<3, 3>(3 * i, 3 * j) = weights[i] * weights[j] * K;
  return h;
}

// (G15), (G16); of the load, for now, the derivative of d.
void PairFrictionByStart::differentiate(const StencilDistance& distance) {
  const double d = std::sqrt(distance.squared());
  weights_by_x = distance.weights_by_x();
  const Eigen::Matrix<double, 3, 12> w_by_x = distance.difference_by_x();
  normal_by_x = (w_by_x - normal * (normal.transpose() * w_by_x)) / d;
  for (int i = 0; i < 4; ++i) load_by_x.segment<3>(3 * i) = weights[i] * normal;
}

// (G17)
PairFrictionByStart::PairFrictionByStart(const VertexFaceContact& contact, const Stencil<4>& x,
                                         const StencilDistance& distance, const Barrier& barrier, double mu)
    : PairFriction(contact, x, distance, barrier, mu) {
  differentiate(distance);
  load_by_x *= mu * load_at(contact.k, distance, barrier).by_d;
}

PairFrictionByStart::PairFrictionByStart(const EdgeEdgeContact& contact, const Stencil<4>& x,
                                         const StencilDistance& distance, const Barrier& barrier, double mu)
    : PairFriction(contact, x, distance, barrier, mu) {
  differentiate(distance);
  const Load lambda = load_at(contact.k, distance, barrier);
  load_by_x *= mu * contact.mollifier.value(x) * lambda.by_d;
  load_by_x += mu * lambda.value * contact.mollifier.gradient(x).reshaped().transpose();
}

// (B11), (B12)
StencilHessian<4> PairFrictionByStart::start_derivative(const Stencil<4>& move,
                                                        const FrictionLaw& law) const {
  const Vec3 q = slip(move), w = sliding(move), F = own(law).gradient(w);
  Eigen::Matrix<double, 3, 12> q_by_x = move * weights_by_x;
  for (int i = 0; i < 4; ++i) q_by_x.block<3, 3>(0, 3 * i) -= weights[i] * Mat3::Identity();
  const Eigen::Matrix<double, 3, 12> w_by_x =
      q_by_x - normal * (normal.transpose() * q_by_x + q.transpose() * normal_by_x) -
      normal.dot(q) * normal_by_x;
  const Eigen::Matrix<double, 3, 12> force_by_x = F * load_by_x + load * own(law).hessian(w) * w_by_x;
  StencilHessian<4> h;
  for (int i = 0; i < 4; ++i)
    h.middleRows<3>(3 * i) = weights[i] * force_by_x + load * F * weights_by_x.row(i);
  return h;
}

}  // namespace keydrape
