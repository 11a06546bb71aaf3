#pragma once

#include <Eigen/LU>
#include <type_traits>

#include "core/base/types.h"

namespace keydrape {

// A flat rest triangle and the deformation of its warp and weft (Baraff & Witkin 1998, section 4.2),
// linear in the positions:
//   w = [w_u w_v] = [x1 - x0, x2 - x0] D^-1 ,   w_u = sum_a u(a) x_a ,   w_v = sum_a v(a) x_a
template <class S>
struct RestTriangleOf {
  Vec3Of<S> u;  // weights of w_u, summing to zero [1/m]
  Vec3Of<S> v;  // weights of w_v
  S area;       // [m^2]

  // Corners of the unstretched triangle in (warp, weft) coordinates [m]. Requires a positive area.
  static RestTriangleOf from_corners(const Vec2& p0, const Vec2& p1, const Vec2& p2) {
    Mat2 D;
    D << p1 - p0, p2 - p0;
    const Mat2 inverse = D.inverse();
    RestTriangleOf rest;
    rest.u << -inverse(0, 0) - inverse(1, 0), inverse(0, 0), inverse(1, 0);
    rest.v << -inverse(0, 1) - inverse(1, 1), inverse(0, 1), inverse(1, 1);
    rest.area = 0.5 * D.determinant();
    return rest;
  }

  Vec3Of<S> w_u(const StencilOf<S, 3>& x) const { return x * u; }
  Vec3Of<S> w_v(const StencilOf<S, 3>& x) const { return x * v; }
};

using RestTriangle = RestTriangleOf<double>;

// Gradient and Hessian over the three vertices from those over (w_u, w_v):
//   dW/dx_a = u(a) dW/dw_u + v(a) dW/dw_v
template <class S>
StencilOf<S, 3> membrane_gradient(const RestTriangleOf<S>& rest, const std::type_identity_t<Vec3Of<S>>& dW_du,
                                  const std::type_identity_t<Vec3Of<S>>& dW_dv) {
  return dW_du * rest.u.transpose() + dW_dv * rest.v.transpose();
}

// That of vertices a and b.
template <class S>
Mat3Of<S> membrane_block(const RestTriangleOf<S>& rest, int a, int b, const Mat3Of<S>& uu,
                         const Mat3Of<S>& uv, const Mat3Of<S>& vv) {
  return (rest.u(a) * rest.u(b)) * uu + (rest.u(a) * rest.v(b)) * uv +
         (rest.v(a) * rest.u(b)) * uv.transpose() + (rest.v(a) * rest.v(b)) * vv;
}

// uu and vv need not be symmetric.
inline StencilHessian<3> membrane_hessian(const RestTriangle& rest, const Mat3& uu, const Mat3& uv,
                                          const Mat3& vv) {
  StencilHessian<3> h;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) h.block<3, 3>(3 * a, 3 * b) = membrane_block(rest, a, b, uu, uv, vv);
  return h;
}

// Its blocks on the diagonal and above.
template <class S>
void upper_membrane_hessian(const RestTriangleOf<S>& rest, const Mat3Of<S>& uu, const Mat3Of<S>& uv,
                            const Mat3Of<S>& vv, StencilHessianOf<S, 3>& h) {
  for (int b = 0; b < 3; ++b)
    for (int a = 0; a <= b; ++a)
      h.template block<3, 3>(3 * a, 3 * b) = membrane_block(rest, a, b, uu, uv, vv);
}
// .. where w_u and w_v do not meet.
template <class S>
void upper_membrane_hessian(const RestTriangleOf<S>& rest, const Mat3Of<S>& uu, const Mat3Of<S>& vv,
                            StencilHessianOf<S, 3>& h) {
  for (int b = 0; b < 3; ++b)
    for (int a = 0; a <= b; ++a)
      h.template block<3, 3>(3 * a, 3 * b) = (rest.u(a) * rest.u(b)) * uu + (rest.v(a) * rest.v(b)) * vv;
}

}  // namespace keydrape
