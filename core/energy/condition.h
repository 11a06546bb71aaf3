#pragma once

namespace keydrape {

// Stiffness and dissipation of a scalar condition c, as densities (core/EQUATIONS.md (6)):
//   w(c) = k/2 c^2 + k_d/(2 dt) (c - c_start)^2 ,     k_d = damping k
struct ConditionLaw {
  double k = 0.0;            // stiffness
  double k_d_over_dt = 0.0;  // dissipation
  double c_start = 0.0;      // the condition at the start of the step

  double value(double c) const { return 0.5 * k * c * c + 0.5 * k_d_over_dt * (c - c_start) * (c - c_start); }
  double tension(double c) const { return k * c + k_d_over_dt * (c - c_start); }
  double stiffness() const { return k + k_d_over_dt; }                      // d(tension)/dc
  ConditionLaw dissipation() const { return {0.0, k_d_over_dt, c_start}; }  // without what is stored
};

}  // namespace keydrape
