#pragma once

namespace keydrape {

// Barrier between features with a thickness, as a function of the squared distance D = d^2 (Li et al. 2021,
// "Codimensional incremental potential contact", eq. 10), made dimensionless:
//   b(D) = f(z) + 100 f(z/0.3) ,   f(z) = -(z - 1)^2 ln z for z < 1, 0 beyond ,
//   z = (D - xi^2) / ((xi + d_hat)^2 - xi^2)                                                      (G6)
// Infinite at d = xi, twice continuously differentiable, 0 from d = xi + d_hat on. What cloth weighs stays
// in the first term; the second bears what wrings it.
struct Barrier {
  double thickness;   // xi [m], >= 0: the features never come closer
  double activation;  // d_hat [m], > 0: the gap at which the barrier begins

  double value(double D) const;              // infinity for D <= xi^2
  double derivative(double D) const;         // [1/m^2], D > xi^2; <= 0
  double second_derivative(double D) const;  // [1/m^4], D > xi^2; >= 0

  double range() const { return thickness + activation; }  // [m], where b becomes 0
};

}  // namespace keydrape
