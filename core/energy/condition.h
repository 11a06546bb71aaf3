#pragma once

namespace keydrape {

// Stiffness and dissipation of a scalar condition c, as densities (core/EQUATIONS.md (6)):
//   w(c) = k/2 c^2 + k_d/(2 beta) (c - c_star)^2 ,     k_d = damping k
struct ConditionLaw {
  double k = 0.0;              // stiffness
  double k_d_over_beta = 0.0;  // dissipation
  double c_star = 0.0;  // of the states that the step knows (I3): with implicit Euler that at its start

  double value(double c) const { return 0.5 * k * c * c + 0.5 * k_d_over_beta * (c - c_star) * (c - c_star); }
  double tension(double c) const { return k * c + k_d_over_beta * (c - c_star); }
  double stiffness() const { return k + k_d_over_beta; }                     // d(tension)/dc
  ConditionLaw dissipation() const { return {0.0, k_d_over_beta, c_star}; }  // without what is stored
};

}  // namespace keydrape
