#pragma once

#include <Eigen/LU>

#include "core/base/types.h"

namespace keydrape {

// A flat rest triangle and the deformation of its warp and weft (Baraff & Witkin 1998, section 4.2),
// linear in the positions:
//   w = [w_u w_v] = [x1 - x0, x2 - x0] D^-1 ,   w_u = sum_a u(a) x_a ,   w_v = sum_a v(a) x_a
struct RestTriangle {
  Vec3 u;       // weights of w_u, summing to zero [1/m]
  Vec3 v;       // weights of w_v
  double area;  // [m^2]

  // Corners of the unstretched triangle in (warp, weft) coordinates [m]. Requires a positive area.
  static RestTriangle from_corners(const Vec2& p0, const Vec2& p1, const Vec2& p2) {
    Mat2 D;
    D << p1 - p0, p2 - p0;
    const Mat2 inverse = D.inverse();
    RestTriangle rest;
    rest.u << -inverse(0, 0) - inverse(1, 0), inverse(0, 0), inverse(1, 0);
    rest.v << -inverse(0, 1) - inverse(1, 1), inverse(0, 1), inverse(1, 1);
    rest.area = 0.5 * D.determinant();
    return rest;
  }

  Vec3 w_u(const Stencil<3>& x) const { return x * u; }
  Vec3 w_v(const Stencil<3>& x) const { return x * v; }
};

// Gradient and Hessian over the three vertices from those over (w_u, w_v):
//   dW/dx_a = u(a) dW/dw_u + v(a) dW/dw_v
inline Stencil<3> membrane_gradient(const RestTriangle& rest, const Vec3& dW_du, const Vec3& dW_dv) {
  return dW_du * rest.u.transpose() + dW_dv * rest.v.transpose();
}

inline StencilHessian<3> membrane_hessian(const RestTriangle& rest, const Mat3& uu, const Mat3& uv,
                                          const Mat3& vv) {
  StencilHessian<3> h;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      h.block<3, 3>(3 * a, 3 * b) = (rest.u(a) * rest.u(b)) * uu + (rest.u(a) * rest.v(b)) * uv +
                                    (rest.v(a) * rest.u(b)) * uv.transpose() + (rest.v(a) * rest.v(b)) * vv;
  return h;
}

}  // namespace keydrape
