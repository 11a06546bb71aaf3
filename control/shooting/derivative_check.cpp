#include "control/shooting/derivative_check.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "control/shooting/difference_quotients.h"
#include "control/shooting/shooting_iterate.h"
#include "core/base/random.h"

namespace keydrape {

namespace {

// A perturbation is small enough where the remainder is at most this share of what the gradient predicts, and
// falls by an order this near to 2 where it is halved. Else it is made shorter.
constexpr double kLinearShare = 0.02, kOrderSlack = 0.04, kShrink = 0.25;
constexpr int kMaxShrinks = 12;  // to 6e-8 of it
// They take the remainder to 2e-5 of the prediction. Central differences may need all of them: the third
// derivative of the goal jumps where a measured or a buckling curve bends, and what Richardson's rule then
// leaves falls only as e^2.
constexpr int kHalvings = 5;
// What rounding leaves of the goal is seen where e is so small that nothing else is left. Remainders below so
// many times that have no order.
constexpr int kRoundingPower = 20;
constexpr double kAboveRounding = 20.0;

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

// |<tangent(d), s> - <d, adjoint(s)>| for random s of the positions and velocities of every state
// after the first. None: there are no derivatives.
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

// J(z + e d) along the run at z, for any e: cloth may settle in several ways, and that one is in question.
class Line {
 public:
  Line(ShootingIterate& at, VecX d) : at_(at), d_(std::move(d)), slope_(at.gradient().dot(d_)) {}
  const VecX& d() const { return d_; }
  double slope() const { return slope_; }
  void scale(double by) { d_ *= by, slope_ *= by; }
  std::unique_ptr<ShootingIterate> run(double e) const { return at_.nearby(at_.z() + e * d_); }
  double remainder_of(const ShootingIterate& run, double e) const {
    return std::abs(run.objective() - at_.objective() - e * slope_);
  }
  double remainder(double e) const { return remainder_of(*run(e), e); }

 private:
  ShootingIterate& at_;
  VecX d_;
  double slope_;
};

enum class Rest { kQuadratic, kInRounding, kNeither, kFailed };

// Where cloth buckles the goal bends sharply: shrinks d until the linear part rules, on both sides, and the
// rest is quadratic, so that the orders are those of the derivative and not of the wrinkles.
Rest shorten_until_quadratic(Line& line, double rounding) {
  for (int k = 0; k < kMaxShrinks; ++k) {
    const double whole = line.remainder(1.0), half = line.remainder(0.5), behind = line.remainder(-1.0);
    if (!std::isfinite(whole) || !std::isfinite(half) || !std::isfinite(behind)) return Rest::kFailed;
    const bool is_linear = std::max(whole, behind) <= kLinearShare * std::abs(line.slope());
    if (is_linear && half < kAboveRounding * rounding) return Rest::kInRounding;
    if (is_linear && std::abs(std::log2(whole / half) - 2.0) < kOrderSlack) return Rest::kQuadratic;
    line.scale(kShrink);
  }
  // A slope that is grossly wrong is far from the goal at any length: differences tell it where rounding does
  // not hide them yet.
  line.scale(std::pow(kShrink, -kMaxShrinks / 2));
  return Rest::kNeither;
}

}  // namespace

DerivativeCheckOptions scene_check_options(const Simulator& simulator) {
  // At 0.05 g light cloth that is swung within 5 frames has to be perturbed less several times over.
  constexpr double kPerturbation = 0.002;
  // Linearised steps leave tension out of their matrix where it pushes: their derivatives jump where a
  // tension changes its sign, which few do on so short a way.
  constexpr double kLinearizedPerturbation = 1e-4;
  return {.direction_rms_g = simulator.is_linearized() ? kLinearizedPerturbation : kPerturbation};
}

DerivativeCheck check_derivatives(ShootingProblem& problem, const DerivativeCheckOptions& options) {
  DerivativeCheck check;
  std::mt19937_64 random(options.seed);
  const VecX z = random_vector(random, problem.size(), options.point_rms_g);
  ShootingIterate at(problem, z);
  check.residual = largest_residual(at.trajectory());
  if (!at.is_complete()) return check;
  Line line(at, random_vector(random, problem.size(), options.direction_rms_g));
  check.has_slope = line.slope() != 0.0;
  check.finished = !check.has_slope;
  if (check.finished) return check;
  const double tiny = std::ldexp(1.0, -kRoundingPower);
  const double rounding = std::max(line.remainder(tiny), line.remainder(-tiny));
  const Rest rest = shorten_until_quadratic(line, rounding);
  if (rest == Rest::kFailed) return check;
  check.is_quadratic = rest == Rest::kQuadratic;
  check.is_in_rounding = rest == Rest::kInRounding;
  check.direction_rms_g = line.d().norm();
  check.indefinite_steps = at.sweeps().linearized().indefinite_count();
  const std::optional<double> error = dot_product_error(at, line.d(), random);
  if (!error) return check;
  check.dot_product_error = *error;

  double previous_remainder = 0.0;
  DifferenceQuotients quotients(line.slope(), rounding);
  for (int k = 0; k <= kHalvings; ++k) {
    const double e = std::ldexp(1.0, -k);
    const std::unique_ptr<ShootingIterate> ahead = line.run(e);
    check.residual = std::max(check.residual, largest_residual(ahead->trajectory()));
    ++check.test_runs;
    if (!ahead->is_complete()) return check;
    const double remainder = line.remainder_of(*ahead, e);
    if (k > 0 && remainder >= kAboveRounding * rounding)
      check.taylor_orders.push_back(std::log2(previous_remainder / remainder));
    previous_remainder = remainder;
    if (quotients.suffice()) continue;
    const std::unique_ptr<ShootingIterate> behind = line.run(-e);
    ++check.test_runs;
    if (!behind->is_complete()) return check;
    quotients.add(ahead->objective(), behind->objective());
  }
  check.central_difference_error = quotients.least_error();
  check.resolved_error = quotients.error();
  check.resolution = quotients.resolution();
  check.rounding_error = rounding / std::abs(line.slope());
  const auto orders = static_cast<double>(check.taylor_orders.size());
  for (const double order : check.taylor_orders) check.taylor_order_mean += order / orders;
  check.finished = true;
  return check;
}

DerivativeVerdict verdict(const DerivativeCheck& check) {
  // Right to a millionth is right; beyond a hundredth differences say nothing. A quotient that is within
  // thrice what it is resolved by is as near as it can be: rounding is known of two runs alone.
  constexpr double kLowestOrder = 1.9, kLargestDotProductError = 1e-10;
  constexpr double kAlwaysRight = 1e-6, kLargestResolution = 1e-2, kResolved = 3.0;
  if (!check.finished || !check.has_slope) return DerivativeVerdict::kUnknown;
  const bool are_orders_right = check.taylor_orders.empty() || check.taylor_order_mean > kLowestOrder;
  const double bound = std::max(kAlwaysRight, kResolved * check.resolution);
  if (check.dot_product_error >= kLargestDotProductError || check.resolved_error >= bound)
    return DerivativeVerdict::kWrong;
  // Orders are low where terms are wrong, and where the goal's curvature jumps along the line.
  return are_orders_right && check.resolution < kLargestResolution ? DerivativeVerdict::kExact
                                                                   : DerivativeVerdict::kUnknown;
}

bool is_exact(const DerivativeCheck& check) { return verdict(check) == DerivativeVerdict::kExact; }

}  // namespace keydrape
