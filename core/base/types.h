#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

// The vocabulary of every layer. SI units everywhere. A vector over all vertices is stored as
// x0 y0 z0 x1 y1 z1 ...

namespace keydrape {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using VecX = Eigen::VectorXd;
using Mat2 = Eigen::Matrix2d;
using Mat3 = Eigen::Matrix3d;

using Edge = std::array<int, 2>;
using Triangle = std::array<int, 3>;

// Positions (or any vectors) of the N vertices of one element, one column each.
template <int N>
using Stencil = Eigen::Matrix<double, 3, N>;

// Second derivatives over the same N vertices, rows and columns x0 y0 z0 x1 ...
template <int N>
using StencilHessian = Eigen::Matrix<double, 3 * N, 3 * N>;

// The same of any scalar, for what is written once for one element and for several side by side (lanes.h).
template <class S>
using Vec3Of = Eigen::Matrix<S, 3, 1>;
template <class S>
using Mat3Of = Eigen::Matrix<S, 3, 3>;
template <class S, int N>
using StencilOf = Eigen::Matrix<S, 3, N>;
template <class S, int N>
using StencilHessianOf = Eigen::Matrix<S, 3 * N, 3 * N>;

// Fills the blocks below the diagonal from those above it.
template <class S, int M>
void mirror_blocks(Eigen::Matrix<S, M, M>& h) {
  for (int a = 0; a < M; a += 3)
    for (int b = a + 3; b < M; b += 3)
      h.template block<3, 3>(b, a) = h.template block<3, 3>(a, b).transpose();
}

// Standard gravity [m/s^2]: the unit in which control accelerations and force tolerances are expressed,
// whatever the gravity of the shot.
inline constexpr double kStandardGravity = 9.80665;

}  // namespace keydrape
