#include "core/energy/quadratic_bending.h"

namespace keydrape {

double QuadraticBending::value(const Stencil<4>& y, const Start&) const {
  return 0.5 * k * (y * L).squaredNorm();
}

Stencil<4> QuadraticBending::gradient(const Stencil<4>& y, const Start&) const {
  return (k * (y * L)) * L.transpose();
}

StencilHessian<4> QuadraticBending::hessian(const Stencil<4>&, const Start&) const {
  StencilHessian<4> h = StencilHessian<4>::Zero();
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b) h.block<3, 3>(3 * a, 3 * b).diagonal().setConstant(k * L(a) * L(b));
  return h;
}

ParameterDerivative<4> QuadraticBending::gradient_by(const Parameter& p, const Stencil<4>& y,
                                                     const Stencil<4>&, const Start& s) const {
  if (p.kind == Parameter::kLogBend) return columns<4>(gradient(y, s));
  return {};
}

Eigen::Vector4d flat_hinge_weights(const RestHinge& rest) {
  // (opposite vertex - its foot on the edge) / height, summed over the two triangles: two
  // opposite unit vectors.
  const double foot_c = rest.c.x() / rest.length, foot_d = rest.d.x() / rest.length;
  const double slope_c = 1 / rest.c.y(), slope_d = -1 / rest.d.y();
  return {(foot_c - 1) * slope_c + (foot_d - 1) * slope_d, -foot_c * slope_c - foot_d * slope_d, slope_c,
          slope_d};
}

}  // namespace keydrape
