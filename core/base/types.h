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

// Standard gravity [m/s^2]: the unit in which control accelerations and force tolerances are expressed,
// whatever the gravity of the shot.
inline constexpr double kStandardGravity = 9.80665;

}  // namespace keydrape
