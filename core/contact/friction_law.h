#pragma once

#include <optional>

#include "core/base/types.h"

namespace keydrape {

// Smooth Coulomb friction as a function of the sliding w over a step
// (Li et al. 2020, equations (19) and (20)):
//   f1(s) = 2 s/eps - (s/eps)^2 for s < eps, 1 beyond;   f0' = f1,  f0(s) = s for s >= eps
// w lies in the tangent plane. f0 is twice continuously differentiable in w.
struct FrictionLaw {
  double eps;  // sliding at which friction is full: speed bound times time step [m], > 0
  // Of a linearised step: F = stiffness w instead, which neither sticks to what slides nor drives it (B16).
  std::optional<double> stiffness{};  // [1/m]

  // As stiff as where w is expected.
  FrictionLaw linearized(const Vec3& w) const;

  double value(const Vec3& w) const;   // f0(|w|) [m]
  Vec3 gradient(const Vec3& w) const;  // F = f1(|w|) w/|w|
  Mat3 hessian(const Vec3& w) const;   // dF/dw, positive semidefinite [1/m]
};

}  // namespace keydrape
