#include "core/energy/hinge_fade.h"

#include <Eigen/Geometry>

#include "core/energy/cross_matrix.h"

namespace keydrape {

// Of one triangle, with e_i the side opposite to vertex i, the sides running round, m = 2 A n its normal:
//   dm = sum_i e_i x dx_i ,   dA/dx_i = n x e_i / 2 ,
//   d2A/dx_i dx_j = 1/2 ( s_ij [n]x + (e_i . e_j)/(2A) n n^T )
// s_ij: 1 where i follows j in the triangle, -1 where j follows i, 0 for i = j.

namespace {

// Less of its area than this and a triangle has none: S is below 1e-22 there, and heights are rounding.
constexpr double kGone = 1e-8;

constexpr std::array<int, 3> kOfA{0, 1, 2}, kOfB{0, 1, 3};

// A vector over the three vertices of a triangle, over the four of the hinge.
Eigen::Matrix<double, 12, 1> spread(const Eigen::Matrix<double, 9, 1>& g, const std::array<int, 3>& slot) {
  Eigen::Matrix<double, 12, 1> wide = Eigen::Matrix<double, 12, 1>::Zero();
  for (int i = 0; i < 3; ++i) wide.segment<3>(3 * slot[i]) = g.segment<3>(3 * i);
  return wide;
}

void add(const StencilHessian<3>& part, const std::array<int, 3>& slot, StencilHessian<4>& h) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) h.block<3, 3>(3 * slot[i], 3 * slot[j]) += part.block<3, 3>(3 * i, 3 * j);
}

}  // namespace

HingeFade::Part::Part(const Vec3& x0, const Vec3& x1, const Vec3& x2, double area) {
  sides << x2 - x1, x0 - x2, x1 - x0;
  normal = sides.col(2).cross(-sides.col(1));
  const double twice = normal.norm();
  if (twice >= 2 * area) {
    z = S = 1.0;
    dS = d2S = 0.0;
    return;
  }
  z = twice / (2 * area);
  if (z < kGone) z = 0.0;
  S = z * z * z * (10 + z * (6 * z - 15));
  dS = 30 * z * z * (1 - z) * (1 - z);
  d2S = 60 * z * (1 - z) * (1 - 2 * z);
}

Eigen::Matrix<double, 9, 1> HingeFade::Part::gradient() const {
  const Vec3 n = normal.normalized();
  const double scale = z / normal.norm();  // 1/(2 a)
  Eigen::Matrix<double, 9, 1> g;
  for (int i = 0; i < 3; ++i) g.segment<3>(3 * i) = scale * n.cross(sides.col(i));
  return g;
}

StencilHessian<3> HingeFade::Part::hessian() const {
  const double twice = normal.norm();
  const Vec3 n = normal / twice;
  const Mat3 turn = cross_matrix(n), across = n * n.transpose() / twice;
  StencilHessian<3> h;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double s = i == j ? 0.0 : i == (j + 1) % 3 ? 1.0 : -1.0;
      h.block<3, 3>(3 * i, 3 * j) = z / twice * (s * turn + sides.col(i).dot(sides.col(j)) * across);
    }
  return h;
}

HingeFade::HingeFade(const Stencil<4>& x, const std::array<double, 2>& areas)
    : a_(x.col(0), x.col(1), x.col(2), areas[0]), b_(x.col(0), x.col(1), x.col(3), areas[1]) {}

Stencil<4> HingeFade::gradient() const {
  Eigen::Matrix<double, 12, 1> g = Eigen::Matrix<double, 12, 1>::Zero();
  if (a_.dS != 0.0) g += b_.S * a_.dS * spread(a_.gradient(), kOfA);
  if (b_.dS != 0.0) g += a_.S * b_.dS * spread(b_.gradient(), kOfB);
  return g.reshaped(3, 4);
}

StencilHessian<4> HingeFade::hessian() const {
  StencilHessian<4> h = StencilHessian<4>::Zero();
  const auto add_part = [&](const Part& part, const Part& other, const std::array<int, 3>& slot) {
    if (part.dS == 0.0) return;
    const Eigen::Matrix<double, 9, 1> g = part.gradient();
    add(other.S * (part.dS * part.hessian() + part.d2S * g * g.transpose()), slot, h);
  };
  add_part(a_, b_, kOfA);
  add_part(b_, a_, kOfB);
  if (a_.dS != 0.0 && b_.dS != 0.0) {
    const auto ga = spread(a_.gradient(), kOfA), gb = spread(b_.gradient(), kOfB);
    h += a_.dS * b_.dS * (ga * gb.transpose() + gb * ga.transpose());
  }
  return h;
}

}  // namespace keydrape
