#include "core/contact/distance/stencil_distance.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace keydrape {

namespace {

using Column = Eigen::Matrix<double, 12, 1>;

// weights (x) vector, in the order of StencilHessian
Column outer(const Vec4& weights, const Vec3& vector) {
  Column column;
  for (int i = 0; i < 4; ++i) column.segment<3>(3 * i) = weights[i] * vector;
  return column;
}

struct Turn {
  double cosine, sine;
};

// By half of the angle of the vector (x, y), which is in [-pi, pi].
Turn half_turn(double x, double y) {
  const double length = std::sqrt(x * x + y * y);
  if (length == 0.0) return {1.0, 0.0};
  // Of the two, the one that is not small.
  const double large = std::sqrt(0.5 * (1.0 + std::abs(x) / length)), small = 0.5 * y / (length * large);
  if (x >= 0.0) return {large, small};
  return {std::abs(small), std::copysign(large, y)};
}

}  // namespace

StencilDistance::StencilDistance(const Stencil<4>& x, const FeatureFlat& flat)
    : dimension_(flat.dimension), c_(flat.origin), dc_(flat.directions) {
  // Relative to one vertex: weights that sum to 0 do not notice, rounding does.
  const Stencil<4> r = x.colwise() - x.col(0);
  for (int k = 0; k < dimension_; ++k) {
    if (k == 1)
      for (int twice = 0; twice < 2; ++twice) dc_[1] -= s_[0].dot(r * dc_[1]) * dc_[0];
    const double length = (r * dc_[k]).norm();
    assert(length > 0);
    dc_[k] /= length;
    s_[k] = r * dc_[k];
  }
  if (dimension_ == 2) {
    // A turn within the plane makes the weights orthogonal as well.
    const auto [cosine, sine] =
        half_turn(dc_[0].squaredNorm() - dc_[1].squaredNorm(), 2 * dc_[0].dot(dc_[1]));
    dc_ = {cosine * dc_[0] + sine * dc_[1], cosine * dc_[1] - sine * dc_[0]};
    s_ = {cosine * s_[0] + sine * s_[1], cosine * s_[1] - sine * s_[0]};
  }
  w_ = r * c_;
  for (int twice = 0; twice < 2; ++twice)
    for (int k = 0; k < dimension_; ++k) {
      const double along = w_.dot(s_[k]);
      w_ -= along * s_[k];
      c_ -= along * dc_[k];
    }
}

Stencil<4> StencilDistance::gradient() const { return 2 * w_ * c_.transpose(); }  // (G3)

StencilHessian<4> StencilDistance::hessian() const {
  // (G4): c c^T (x) I - sum_k r_k r_k^T ,  r_k = c (x) s_k + dc_k (x) w
  StencilHessian<4> h;
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) h.block<3, 3>(3 * i, 3 * j) = 2 * c_[i] * c_[j] * Mat3::Identity();
  for (int k = 0; k < dimension_; ++k) {
    const Column r = outer(c_, s_[k]) + outer(dc_[k], w_);
    h.noalias() -= 2 * r * r.transpose();
  }
  return h;
}

Eigen::Matrix<double, 4, 12> StencilDistance::weights_by_x() const {
  Eigen::Matrix<double, 4, 12> change = Eigen::Matrix<double, 4, 12>::Zero();
  for (int k = 0; k < dimension_; ++k)
    change.noalias() -= dc_[k] * (outer(c_, s_[k]) + outer(dc_[k], w_)).transpose();
  return change;
}

Eigen::Matrix<double, 3, 12> StencilDistance::difference_by_x() const {
  Eigen::Matrix<double, 3, 12> change;
  for (int i = 0; i < 4; ++i) change.block<3, 3>(0, 3 * i) = c_[i] * Mat3::Identity();
  for (int k = 0; k < dimension_; ++k)
    change.noalias() -= s_[k] * (outer(c_, s_[k]) + outer(dc_[k], w_)).transpose();
  return change;
}

StencilHessian<4> StencilDistance::composed_hessian(double df_dD, double d2f_dD2) const {
  const Column g = 2 * outer(c_, w_);
  StencilHessian<4> h = df_dD * hessian();
  h.noalias() += d2f_dD2 * g * g.transpose();
  return h;
}

StencilHessian<4> StencilDistance::composed_hessian_psd(double df_dD, double d2f_dD2) const {
  assert(df_dD <= 0);
  const double D = squared();
  const Column along = outer(c_, w_);
  StencilHessian<4> h = std::max(4 * d2f_dD2 + 2 * df_dD / D, 0.0) * along * along.transpose();
  for (int k = 0; k < dimension_; ++k) {
    // r r^T - a a^T with r = a + b and a . b = 0 has the one positive eigenvalue
    //   lambda = (bb + sqrt(bb^2 + 4 aa bb)) / 2   with the vector   bb a + lambda b
    const Column a = outer(c_, s_[k]), b = outer(dc_[k], w_);
    const double aa = a.squaredNorm(), bb = b.squaredNorm();
    const double lambda = 0.5 * (bb + std::sqrt(bb * (bb + 4 * aa)));
    if (!(lambda > 0)) continue;
    const Column v = (bb * a + lambda * b) / std::sqrt(bb * bb * aa + lambda * lambda * bb);
    h.noalias() += (-2 * df_dD * lambda) * v * v.transpose();
  }
  return h;
}

}  // namespace keydrape
