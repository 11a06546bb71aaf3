#pragma once

#include <array>

#include "core/contact/distance/stencil_distance.h"
#include "core/contact/edge_edge.h"
#include "core/contact/friction_law.h"
#include "core/contact/vertex_face.h"

namespace keydrape {

// Friction of two features that touch at the start x of a step, as a function of its end y (README.md, (B8)
// to (B12)):
//   W(y; x) = L(x) f0(|P(x) q|) ,   q = sum_i c_i(x) (y_i - x_i) ,   L = mu lambda
// The load lambda, the normal n (P = I - n n^T) and the weights c of the nearest points are those of the
// start, and so are known with their derivatives: nothing is frozen in the adjoint.
struct PairFriction {
  // Requires d > xi at x.
  PairFriction(const VertexFaceContact& contact, const Stencil<4>& x, const Barrier& barrier, double mu);
  PairFriction(const EdgeEdgeContact& contact, const Stencil<4>& x, const Barrier& barrier, double mu);

  double value(const Stencil<4>& y, const FrictionLaw& law) const;               // [J]
  Stencil<4> gradient(const Stencil<4>& y, const FrictionLaw& law) const;        // [N]
  StencilHessian<4> hessian(const Stencil<4>& y, const FrictionLaw& law) const;  // semidefinite [N/m]
  // d2W/dy dx, rows y, columns x [N/m]
  StencilHessian<4> start_derivative(const Stencil<4>& y, const FrictionLaw& law) const;

  std::array<int, 4> vertices;
  Stencil<4> start;                           // x [m]
  Vec4 weights;                               // c
  Vec3 normal;                                // n
  double load;                                // L [N], >= 0
  Eigen::Matrix<double, 4, 12> weights_by_x;  // [1/m]
  Eigen::Matrix<double, 3, 12> normal_by_x;   // [1/m]
  Eigen::Matrix<double, 1, 12> load_by_x;     // [N/m]

 private:
  PairFriction(const std::array<int, 4>& vertices, const Stencil<4>& x, const StencilDistance& distance);
  Vec3 slip(const Stencil<4>& y) const;     // q [m]
  Vec3 sliding(const Stencil<4>& y) const;  // P q [m]
};

}  // namespace keydrape
