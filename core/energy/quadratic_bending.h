#pragma once

#include "core/energy/energy.h"
#include "core/mesh/rest_hinge.h"

namespace keydrape {

// Bending at an edge that is flat at rest, for deformations without much stretch (Bergou, Wardetzky, Harmon,
// Zorin & Grinspun 2006, "A quadratic bending model for inextensible surfaces"):
//   W = k/2 |sum_a L_a x_a|^2 ,   L = (cotangent weights of the rest hinge) / (edge length)
// |sum_a L_a x_a| = 2 sin(theta/2) on an isometric hinge, so that k means the same as in HingeBending and
// both agree to second order in theta. The Hessian is constant and positive semidefinite. Without
// dissipation: a HingeBending with k = 0 adds it.
struct QuadraticBending {
  static constexpr int kVertices = 4;
  static constexpr bool kConstantHessian = true;
  static constexpr bool kInFabric = true;

  struct Shared {};
  struct Start {};

  std::array<int, 4> vertices;  // as in Hinge (core/mesh/topology.h)
  Eigen::Vector4d L;            // [1/m], flat_hinge_weights()
  double k;                     // [J/rad^2]

  Start start(const Shared&, const StepStart&, const StartStencil<4>&) const { return {}; }
  double value(const Stencil<4>& y, const Start& s) const;
  Stencil<4> gradient(const Stencil<4>& y, const Start& s) const;
  StencilHessian<4> hessian(const Stencil<4>& y, const Start& s) const;

  Eigen::Matrix4d stiffness_bound(const Shared&, const StiffnessBound&) const {
    return k * L * L.transpose();
  }

  ParameterDerivative<4> gradient_by(const Parameter& p, const Stencil<4>& y, const Stencil<4>& x,
                                     const Start& s) const;
};

// The weights L: zero on everything flat, and the sum of the slopes of both triangles against
// the edge otherwise.
Eigen::Vector4d flat_hinge_weights(const RestHinge& rest);

}  // namespace keydrape
