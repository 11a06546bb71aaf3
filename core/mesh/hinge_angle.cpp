#include "core/mesh/hinge_angle.h"

#include <Eigen/Geometry>
#include <cmath>

namespace keydrape {

// One wing of the hinge. Edge e = x1 - x0, length l, height h, foot f, unit frame (e, b, n) = (edge, across,
// normal). Over its vertices (x0, x1, opposite) let
//   D = (-1, 1, 0)         so that   d(x1 - x0) = sum_j D_j dx_j
//   w = (f - 1, -f, 1)     and       s = sum_j w_j dx_j    (how the opposite vertex moves against its foot)
// Then   dn = -e (n . de)/l - b (n . s)/h ,   dh = b . s ,   df = (e . s)/l + h (b . de)/l^2 .
// A wing adds -w_i n/h to the gradient by x_i; differentiating it gives
//   H_ij = D_i w_j A + w_i D_j A^T + D_i D_j n b^T / l^2 + w_i w_j (b n^T + n b^T) / h^2 ,
//   A = n e^T / (l h) .
// The antisymmetric part of n b^T is that of the other wing with the opposite sign: both drop out of the sum.

namespace {

HingeWing wing(const Vec3& x0, const Vec3& edge, double length, const Vec3& opposite, double side) {
  const Vec3 d = opposite - x0;
  const double along = d.dot(edge);
  const Vec3 rejection = d - along * edge;
  const double height = rejection.norm();
  const Vec3 across = rejection / height;
  return {across, side * edge.cross(across), height, along / length};
}

using Weights = std::array<double, 3>;  // over x0, x1, opposite

// `slot` says where the opposite vertex stands in the hinge.
void add_gradient(const HingeWing& wing, int slot, Stencil<4>& g) {
  const Vec3 p = wing.normal / wing.height;
  g.col(0) += (1 - wing.foot) * p;
  g.col(1) += wing.foot * p;
  g.col(slot) -= p;
}

void add_hessian(const HingeWing& wing, const Vec3& edge, double length, int slot, StencilHessian<4>& h) {
  const double inverse_l = 1 / length, inverse_h = 1 / wing.height;
  const Mat3 A = (inverse_l * inverse_h * wing.normal) * edge.transpose();
  const Mat3 nb = wing.normal * wing.across.transpose();
  const Mat3 S = nb + nb.transpose();
  const Mat3 DD = (0.5 * inverse_l * inverse_l) * S;
  const Mat3 ww = (inverse_h * inverse_h) * S;
  const Weights D{-1, 1, 0}, w{wing.foot - 1, -wing.foot, 1};
  const std::array<int, 3> vertex{0, 1, slot};
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i <= j; ++i) {
      const Mat3 block =
          (D[i] * w[j]) * A + (w[i] * D[j]) * A.transpose() + (D[i] * D[j]) * DD + (w[i] * w[j]) * ww;
      h.block<3, 3>(3 * vertex[i], 3 * vertex[j]) += block;
      if (i != j) h.block<3, 3>(3 * vertex[j], 3 * vertex[i]) += block.transpose();
    }
}

}  // namespace

HingeAngle::HingeAngle(const Stencil<4>& x) {
  const Vec3 e = x.col(1) - x.col(0);
  length_ = e.norm();
  edge_ = e / length_;
  a_ = wing(x.col(0), edge_, length_, x.col(2), 1.0);
  b_ = wing(x.col(0), edge_, length_, x.col(3), -1.0);
}

double HingeAngle::theta() const {
  return std::atan2(a_.normal.cross(b_.normal).dot(edge_), a_.normal.dot(b_.normal));
}

Stencil<4> HingeAngle::gradient() const {
  Stencil<4> g = Stencil<4>::Zero();
  add_gradient(a_, 2, g);
  add_gradient(b_, 3, g);
  return g;
}

StencilHessian<4> HingeAngle::hessian() const {
  StencilHessian<4> h = StencilHessian<4>::Zero();
  add_hessian(a_, edge_, length_, 2, h);
  add_hessian(b_, edge_, length_, 3, h);
  return h;
}

}  // namespace keydrape
