#include "control/shooting/derivative_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "control/shooting/shooting_iterate.h"
#include "core/base/random.h"

namespace keydrape {

namespace {

// A perturbation is small enough where the remainder is at most this share of what the gradient predicts, and
// falls by an order this near to 2 where it is halved. Else it is made shorter.
constexpr double kLinearShare = 0.02, kOrderSlack = 0.04, kShrink = 0.25;
constexpr int kMaxShrinks = 12;   // to 6e-8 of it: there rounding rules
constexpr int kHalvings = 5;      // they take the remainder to 2e-5 of the prediction: far above rounding
constexpr int kCentralSteps = 3;  // central differences at the largest e, e/2 and e/4

// Uniform in [-1, 1), scaled to length `norm`.
VecX random_vector(std::mt19937_64& random, int size, double norm) {
  VecX v(size);
  for (int i = 0; i < size; ++i) v(i) = uniform(random);
  return v * (norm / v.norm());
}

double largest_residual(const Trajectory& trajectory) {
  double largest = 0.0;
  for (const StepReport& report : trajectory.reports) largest = std::max(largest, report.residual);
  return largest;
}

// |<tangent(d), s> - <d, adjoint(s)>| for random s at every keyframe's state and at the end,
// positions and velocities. None: there are no derivatives.
std::optional<double> dot_product_error(ShootingIterate& at, const VecX& d, std::mt19937_64& random) {
  const std::optional<FeedbackTangent> tangent = at.sweeps().tangent(Feedback::none(), d);
  if (!tangent) return std::nullopt;
  const std::vector<StateVector>& change = tangent->states;
  std::vector<StateVector> seeds(change.size());
  double forward = 0.0, scale = 0.0;
  const int n = static_cast<int>(change.back().x.size());
  for (size_t k = 1; k < change.size(); ++k) {
    seeds[k] = {random_vector(random, n, 1.0), random_vector(random, n, 1.0)};
    forward += seeds[k].x.dot(change[k].x) + seeds[k].v.dot(change[k].v);
    scale += seeds[k].x.norm() * change[k].x.norm() + seeds[k].v.norm() * change[k].v.norm();
  }
  const std::optional<VecX> bar = at.sweeps().adjoint(Feedback::none(), seeds, VecX::Zero(d.size()));
  if (!bar) return std::nullopt;
  return std::abs(forward - bar->dot(d)) / scale;
}

}  // namespace

DerivativeCheck check_derivatives(ShootingProblem& problem, const DerivativeCheckOptions& options) {
  DerivativeCheck check;
  std::mt19937_64 random(options.seed);
  const VecX z = random_vector(random, problem.size(), options.point_rms_g);
  VecX d = random_vector(random, problem.size(), options.direction_rms_g);
  ShootingIterate at(problem, z);
  check.residual = largest_residual(at.trajectory());
  if (!at.is_complete()) return check;
  // Where cloth buckles the goal bends sharply: shrink d until the linear part rules and the rest is
  // quadratic, so that the orders are those of the derivative and not of the wrinkles. On both sides, and
  // along the run at z: where cloth may settle in several ways, only the one of that run is differentiated.
  double slope = at.gradient().dot(d);
  const auto remainder_at = [&](double e) {
    return std::abs(at.nearby(z + e * d)->objective() - at.objective() - e * slope);
  };
  for (int k = 0; k < kMaxShrinks; ++k) {
    const double whole = remainder_at(1.0), half = remainder_at(0.5), behind = remainder_at(-1.0);
    if (!std::isfinite(whole) || !std::isfinite(half) || !std::isfinite(behind)) return check;
    if (std::max(whole, behind) <= kLinearShare * std::abs(slope) &&
        std::abs(std::log2(whole / half) - 2.0) < kOrderSlack) {
      check.is_quadratic = true;
      break;
    }
    d *= kShrink;
    slope *= kShrink;
  }
  check.direction_rms_g = d.norm();
  check.indefinite_steps = at.sweeps().linearized().indefinite_count();
  const std::optional<double> error = dot_product_error(at, d, random);
  if (!error) return check;
  check.dot_product_error = *error;

  double previous_remainder = 0.0;
  check.central_difference_error = std::numeric_limits<double>::infinity();
  double previous_difference = 0.0;
  for (int k = 0; k <= kHalvings; ++k) {
    const double e = std::ldexp(1.0, -k);
    const std::unique_ptr<ShootingIterate> ahead = at.nearby(z + e * d);
    check.residual = std::max(check.residual, largest_residual(ahead->trajectory()));
    if (!ahead->is_complete()) return check;
    const double remainder = std::abs(ahead->objective() - at.objective() - e * slope);
    if (k > 0) check.taylor_orders.push_back(std::log2(previous_remainder / remainder));
    previous_remainder = remainder;
    if (k >= kCentralSteps) continue;
    const std::unique_ptr<ShootingIterate> behind = at.nearby(z - e * d);
    if (!behind->is_complete()) return check;
    const double difference = (ahead->objective() - behind->objective()) / (2.0 * e);
    // Richardson: two central differences of order 2 make one of order 4.
    const double best = k == 0 ? difference : (4.0 * difference - previous_difference) / 3.0;
    check.central_difference_error =
        std::min(check.central_difference_error, std::abs(best - slope) / std::abs(slope));
    previous_difference = difference;
  }
  for (double order : check.taylor_orders) check.taylor_order_mean += order / kHalvings;
  check.finished = true;
  return check;
}

}  // namespace keydrape
