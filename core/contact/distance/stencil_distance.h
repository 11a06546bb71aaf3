#pragma once

#include <array>

#include "core/base/types.h"

namespace keydrape {

using Vec4 = Eigen::Vector4d;

// The flat (point, line or plane) over which two features are nearest to each other: the vectors
//   w(theta) = sum_i (origin_i + sum_k theta_k directions_k,i) x_i     (G1)
struct FeatureFlat {
  int dimension;                   // 0: two points, 1: point and line, 2: point and plane or two lines
  Vec4 origin;                     // sums to 0
  std::array<Vec4, 2> directions;  // each sums to 0; the first `dimension` of them count
};

// The squared distance D = min over theta of |w(theta)|^2 of a flat, as a function of four vertices: value,
// gradient and exact Hessian in one formula for all dimensions, (G2)-(G4). Requires spanning vectors sum_i
// directions_k,i x_i that are linearly independent.
class StencilDistance {
 public:
  StencilDistance(const Stencil<4>& x, const FeatureFlat& flat);

  double squared() const { return w_.squaredNorm(); }  // D [m^2]
  Stencil<4> gradient() const;                         // [m]
  StencilHessian<4> hessian() const;                   // exact; indefinite

  // Of a function f(D), given f' and f'':  f'' grad D grad D^T + f' hess D, exact.
  StencilHessian<4> composed_hessian(double df_dD, double d2f_dD2) const;
  // Its terms along and across the difference, each projected to positive semidefinite, (G5): not below the
  // exact one, and without an eigenvalue problem. Requires f' <= 0.
  StencilHessian<4> composed_hessian_psd(double df_dD, double d2f_dD2) const;

  // From the nearest point of the second feature to that of the first, w = sum_i weights_i x_i [m]. The
  // weights tell which vertices are active (not 0), share a force out among them, and give the relative
  // velocity sum_i weights_i v_i.
  const Vec3& difference() const { return w_; }
  const Vec4& weights() const { return c_; }
  // How both change with the vertices (columns in the order of StencilHessian), (G15) and (G16).
  Eigen::Matrix<double, 4, 12> weights_by_x() const;     // [1/m]
  Eigen::Matrix<double, 3, 12> difference_by_x() const;  // [1]

 private:
  int dimension_;
  Vec4 c_;
  Vec3 w_;
  std::array<Vec4, 2> dc_;  // weights of the directions, such that ..
  std::array<Vec3, 2> s_;   // .. the spanning vectors are orthonormal and dc_[0] . dc_[1] = 0
};

}  // namespace keydrape
