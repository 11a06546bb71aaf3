#pragma once

#include <vector>

#include "control/shooting/shooting_problem.h"

namespace keydrape {

// A test of the derivatives on the very problem at hand.
struct DerivativeCheck {
  // log2 of the ratios of successive remainders |J(z + e d) - J(z) - e g.d| while e halves: 2 where
  // g is exact.
  std::vector<double> taylor_orders;
  double taylor_order_mean = 0.0;
  double central_difference_error = 0.0;  // |(J(z + e d) - J(z - e d))/2e - g.d| / |g.d|, Richardson's best
  double dot_product_error = 0.0;         // |<A d, s> - <d, A^T s>| relative: tangent against adjoint
  double residual = 0.0;  // largest Newton residual of the forward runs, in units of the weight
  int indefinite_steps = 0;
  double direction_rms_g = 0.0;  // size of the largest perturbation that was used
  bool is_quadratic = false;     // it is so small that the remainder is quadratic; none else was found
  bool finished = false;         // false: a forward run or a sweep failed, and the figures mean nothing
};

struct DerivativeCheckOptions {
  unsigned seed = 1;
  double direction_rms_g = 0.05;  // largest perturbation tried: RMS control acceleration in units of g_0
  double point_rms_g = 0.05;      // size of the random z at which it is tested
};

// Runs some ten forward simulations. The problem's simulator should have a Newton tolerance of
// 1e-11 or tighter.
DerivativeCheck check_derivatives(ShootingProblem& problem, const DerivativeCheckOptions& options);

}  // namespace keydrape
