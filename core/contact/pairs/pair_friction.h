#pragma once

#include <array>
#include <optional>

#include "core/contact/distance/stencil_distance.h"
#include "core/contact/friction_law.h"
#include "core/contact/pairs/edge_edge.h"
#include "core/contact/pairs/vertex_face.h"

namespace keydrape {

// Friction of two features that touch at the start x of a step, as a function of its end y
// (core/contact/EQUATIONS.md (B8) to (B12)):
//   W(y; x) = L(x) f0(|P(x) q|) ,   q = sum_i c_i(x) (y_i - x_i) ,   L = mu lambda
// The load lambda, the normal n (P = I - n n^T) and the weights c of the nearest points are those
// of the start.
struct PairFriction {
  // `distance`: at x, > xi.
  PairFriction(const VertexFaceContact& contact, const Stencil<4>& x, const StencilDistance& distance,
               const Barrier& barrier, double mu);
  PairFriction(const EdgeEdgeContact& contact, const Stencil<4>& x, const StencilDistance& distance,
               const Barrier& barrier, double mu);

  // move = y - x [m]
  double value(const Stencil<4>& move, const FrictionLaw& law) const;               // [J]
  Stencil<4> gradient(const Stencil<4>& move, const FrictionLaw& law) const;        // [N]
  StencilHessian<4> hessian(const Stencil<4>& move, const FrictionLaw& law) const;  // semidefinite [N/m]

  std::array<int, 4> vertices;
  Vec4 weights;                       // c
  Vec3 normal;                        // n
  double load;                        // L [N], >= 0
  std::optional<double> stiffness{};  // FrictionLaw::stiffness

  // From now on the law is linear, as stiff as where this move is expected.
  void linearize(const Stencil<4>& expected, const FrictionLaw& law);

 protected:
  PairFriction(const std::array<int, 4>& pair, const StencilDistance& distance, double load);
  Vec3 slip(const Stencil<4>& move) const { return move * weights; }  // q [m]
  Vec3 sliding(const Stencil<4>& move) const;                         // P q [m]
  FrictionLaw own(const FrictionLaw& law) const { return {law.eps, stiffness}; }
};

// The same with the derivatives of load, normal and weights, so that nothing is frozen in the adjoint. Ten
// times as large: made where it is asked for.
struct PairFrictionByStart : PairFriction {
  PairFrictionByStart(const VertexFaceContact& contact, const Stencil<4>& x, const StencilDistance& distance,
                      const Barrier& barrier, double mu);
  PairFrictionByStart(const EdgeEdgeContact& contact, const Stencil<4>& x, const StencilDistance& distance,
                      const Barrier& barrier, double mu);

  // d2W/dy dx, rows y, columns x [N/m]
  StencilHessian<4> start_derivative(const Stencil<4>& move, const FrictionLaw& law) const;

  Eigen::Matrix<double, 4, 12> weights_by_x;  // [1/m]
  Eigen::Matrix<double, 3, 12> normal_by_x;   // [1/m]
  Eigen::Matrix<double, 1, 12> load_by_x;     // [N/m]

 private:
  void differentiate(const StencilDistance& distance);
};

}  // namespace keydrape
