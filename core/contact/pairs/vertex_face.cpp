#include "core/contact/pairs/vertex_face.h"

namespace keydrape {

double VertexFaceContact::value(const Stencil<4>&, const StencilDistance& distance,
                                const Barrier& barrier) const {
  return k * barrier.value(distance.squared());
}

Stencil<4> VertexFaceContact::gradient(const Stencil<4>&, const StencilDistance& distance,
                                       const Barrier& barrier) const {
  return k * barrier.derivative(distance.squared()) * distance.gradient();
}

StencilHessian<4> VertexFaceContact::hessian(const Stencil<4>&, const StencilDistance& distance,
                                             const Barrier& barrier) const {
  const double D = distance.squared();
  return k * distance.composed_hessian(barrier.derivative(D), barrier.second_derivative(D));
}

StencilHessian<4> VertexFaceContact::hessian_psd(const Stencil<4>&, const StencilDistance& distance,
                                                 const Barrier& barrier) const {
  const double D = distance.squared();
  return k * distance.composed_hessian_psd(barrier.derivative(D), barrier.second_derivative(D));
}

}  // namespace keydrape
