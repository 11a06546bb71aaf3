#pragma once

#include <vector>

#include "control/shooting/shooting_problem.h"

namespace keydrape {

// A test of the derivatives on the very problem at hand.
struct DerivativeCheck {
  // log2 of the ratios of successive remainders |J(z + e d) - J(z) - e g.d| while e halves: 2 where
  // g is exact. Of remainders that stand out of rounding; where the goal bends too sharply there are none.
  std::vector<double> taylor_orders;
  double taylor_order_mean = 0.0;         // 0: of none
  double central_difference_error = 0.0;  // |(J(z + e d) - J(z - e d))/2e - g.d| / |g.d|, Richardson's best
  double resolved_error = 0.0;  // that of the difference which is best resolved, and within what it is: both
  double resolution = 0.0;      // relative to |g.d| (difference_quotients.h)
  double rounding_error = 0.0;  // what rounding adds to a difference at the largest e, about
  double dot_product_error = 0.0;  // |<A d, s> - <d, A^T s>| relative: tangent against adjoint
  double residual = 0.0;           // largest Newton residual of the forward runs, in units of the weight
  int indefinite_steps = 0;
  double direction_rms_g = 0.0;  // size of the largest perturbation that was used
  bool is_quadratic = false;     // it is so small that the remainder is quadratic
  bool is_in_rounding = false;   // none was before rounding hid the remainder: differences alone can tell
  bool has_slope = true;  // false: to first order nothing that may be chosen changes J, and all else is 0
  int test_runs = 0;      // forward runs that the orders and differences were taken from: the last ones
  bool finished = false;  // false: a forward run or a sweep failed, and the figures mean nothing
};

struct DerivativeCheckOptions {
  unsigned seed = 1;
  double direction_rms_g = 0.05;  // largest perturbation tried: RMS control acceleration in units of g_0
  double point_rms_g = 0.05;      // size of the random z at which it is tested
};

// For whole scenes, whose bodies and folds bear smaller first perturbations.
DerivativeCheckOptions scene_check_options(const Simulator& simulator);

// Differences of whole runs need runs that are exact: at 1e-8 the last halvings show Newton's tolerance.
inline constexpr double kCheckNewtonTolerance = 1e-14;

// Runs some twenty forward simulations. The problem's simulator should have a Newton tolerance of
// 1e-11 or tighter.
DerivativeCheck check_derivatives(ShootingProblem& problem, const DerivativeCheckOptions& options);

// Whether it shows right derivatives: orders of 1.9 at least, tangent and adjoint within 1e-10, and the
// difference that is best resolved within 1e-6 of the slope, or within thrice what it is resolved by. Wrong
// terms bring orders near 1 and errors near 1. Where differences tell a slope no better than to a hundredth,
// or confirm it while orders are low, and where there is none, nobody knows
// (control/decisions/0040-as-differences-resolve.md).
enum class DerivativeVerdict { kExact, kWrong, kUnknown };
DerivativeVerdict verdict(const DerivativeCheck& check);
bool is_exact(const DerivativeCheck& check);

}  // namespace keydrape
