#include "core/contact/pairs/edge_edge.h"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace keydrape {

namespace {

StencilHessian<4> nearest_psd(const StencilHessian<4>& h) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(h);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
         eigen.eigenvectors().transpose();
}

}  // namespace

double EdgeEdgeContact::value(const Stencil<4>& x, const StencilDistance& distance,
                              const Barrier& barrier) const {
  const double b = barrier.value(distance.squared());
  return std::isinf(b) ? b : k * mollifier.value(x) * b;
}

Stencil<4> EdgeEdgeContact::gradient(const Stencil<4>& x, const StencilDistance& distance,
                                     const Barrier& barrier) const {
  const double D = distance.squared();
  return k * (mollifier.value(x) * barrier.derivative(D) * distance.gradient() +
              barrier.value(D) * mollifier.gradient(x));
}

StencilHessian<4> EdgeEdgeContact::hessian(const Stencil<4>& x, const StencilDistance& distance,
                                           const Barrier& barrier) const {
  const double D = distance.squared(), db = barrier.derivative(D);
  StencilHessian<4> h =
      (k * mollifier.value(x)) * distance.composed_hessian(db, barrier.second_derivative(D));
  if (!mollifier.is_active(x)) return h;

  const Stencil<4> g_D = distance.gradient(), g_m = mollifier.gradient(x);
  const StencilHessian<4> cross = g_m.reshaped() * g_D.reshaped().transpose();
  h += k * (db * (cross + cross.transpose()) + barrier.value(D) * mollifier.hessian(x));
  return h;
}

StencilHessian<4> EdgeEdgeContact::hessian_psd(const Stencil<4>& x, const StencilDistance& distance,
                                               const Barrier& barrier) const {
  if (mollifier.is_active(x)) return nearest_psd(hessian(x, distance, barrier));
  const double D = distance.squared();
  return k * distance.composed_hessian_psd(barrier.derivative(D), barrier.second_derivative(D));
}

}  // namespace keydrape
