#include "control/tolerance_weights.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace keydrape {

namespace {

// The misses to aim at and those that are needlessly small, over the tolerances. Effort hardly depends on
// where in this range they come to lie; a narrower one costs forward runs.
constexpr double kAim = 0.8, kLeast = 0.25;
// Largest change of a weight at once: 1/miss is affine in it for free particles only.
constexpr double kLargestChange = 20.0;
// A raised weight that leaves more of the prediction than this is no help: what the model cannot do, or CG
// does not get to, no weight brings about. Without this test they ran away (flag, 1 mm: to 1e6 times what was
// needed).
constexpr double kIdle = 0.7;
// Predictions within this factor of the aim leave a weight alone, between iterations and before a trial.
constexpr double kCloseEnough = 1.1, kWorthTrying = 2.0;

// The first step whose forces serve keyframe k: that after the keyframe before.
int first_step(const Objective& objective, int k) {
  int begin = 0;
  for (const Keyframe& other : objective.keyframes())
    if (other.state < objective.keyframes()[k].state) begin = std::max(begin, other.state);
  return begin;
}

// |z|^2 of the blocks that serve keyframe k.
double effort_before(const ShootingProblem& problem, const VecX& z, int k) {
  const ControlLayout& layout = problem.layout();
  double sum = 0.0;
  int previous = -1;
  for (int n = first_step(problem.objective(), k); n < problem.objective().keyframes()[k].state; ++n) {
    const int block = layout.block_of_step(n);
    if (block < 0 || block == previous) continue;
    previous = block;
    for (int i = 0; i < layout.active_count(); ++i)
      sum += (layout.acceleration(z, block, i) / layout.acceleration_scale(i)).squaredNorm();
  }
  return sum;
}

}  // namespace

double free_particle_response(const ShootingProblem& problem, int k) {
  const ControlLayout& layout = problem.layout();
  const Objective& objective = problem.objective();
  const Keyframe& keyframe = objective.keyframes()[k];
  const double dt = problem.simulator().dt();
  std::vector<double> lever(layout.block_count(), 0.0);  // dx/da of a block [s^2]
  for (int n = first_step(objective, k); n < keyframe.state; ++n)
    if (layout.block_of_step(n) >= 0) lever[layout.block_of_step(n)] += dt * dt * (keyframe.state - n);
  double S = 0.0;
  for (const double x : lever) S += x * x;
  const double g = kStandardGravity, l = objective.options().length;
  const double F_m = static_cast<double>(layout.block_count()) * layout.active_count();
  return keyframe.weight / (l * l * keyframe.vertex_weight.sum()) * g * g * F_m * S /
         objective.options().effort;
}

ToleranceWeights::ToleranceWeights(ShootingProblem& problem, Objective& objective,
                                   std::vector<double> tolerances,
                                   const std::vector<KeyframeMiss>& uncontrolled)
    : problem_(problem),
      objective_(objective),
      tolerances_(std::move(tolerances)),
      raised_at_(tolerances_.size(), 0.0) {
  assert(&problem.objective() == &objective && objective.options().effort > 0.0);
  assert(tolerances_.size() == objective.keyframes().size() && uncontrolled.size() == tolerances_.size());
  std::vector<double> factors;
  for (size_t k = 0; k < tolerances_.size(); ++k) {
    assert(tolerances_[k] > 0.0);
    // A cloth that could not even be simulated without forces may be off by its own size.
    uncontrolled_.push_back(std::isfinite(uncontrolled[k].rms) ? uncontrolled[k].rms
                                                               : objective.options().length);
    const double wanted = std::max(1.0, uncontrolled_[k] / (kAim * tolerances_[k]) - 1.0);
    const double response = free_particle_response(problem, static_cast<int>(k));
    factors.push_back(response > 0.0 ? wanted / response : 1.0);  // (E1)
  }
  objective_.set_weight_factors(std::move(factors));
}

void ToleranceWeights::learn_from(ShootingIterate& steered) {
  if (!steered.is_complete()) return;
  const std::vector<KeyframeMiss> misses = steered.misses();
  std::vector<double> factors = objective_.weight_factors();
  const ObjectiveOptions& goal = objective_.options();
  for (size_t k = 0; k < tolerances_.size(); ++k) {
    const double d = uncontrolled_[k], aim = kAim * tolerances_[k], way = d - misses[k].rms;
    if (!counts(k) || aim >= d || way <= 0.0) continue;
    const double effort = goal.effort * effort_before(problem_, steered.z(), static_cast<int>(k));
    factors[k] = std::max(factors[k], goal.length * goal.length / objective_.keyframes()[k].weight * effort *
                                          (d - aim) / (way * way * aim));  // (E2)
  }
  objective_.set_weight_factors(std::move(factors));
  steered.objective_changed();
}

double ToleranceWeights::factor_for(size_t k, double expected_miss) const {
  const double aim = kAim * tolerances_[k], d = uncontrolled_[k], miss = std::min(expected_miss, 0.99 * d);
  const double change = (1.0 / aim - 1.0 / d) / (1.0 / miss - 1.0 / d);
  return objective_.weight_factors()[k] * std::clamp(change, 1.0 / kLargestChange, kLargestChange);
}

bool ToleranceWeights::is_idle(size_t k, double expected_miss) const {
  return raised_at_[k] > 0.0 && expected_miss > kIdle * raised_at_[k];
}

bool ToleranceWeights::reconsider(Point& point, const VecX& step) {
  auto& at = static_cast<ShootingIterate&>(point);
  const std::vector<KeyframeMiss> expected = problem_.bounds() ? at.predict_change(step) : at.predict(step);
  std::vector<double> factors = objective_.weight_factors();
  bool changed = false;
  for (size_t k = 0; k < tolerances_.size(); ++k) {
    const double aim = kAim * tolerances_[k];
    if (!counts(k) || aim >= uncontrolled_[k] || expected[k].rms <= kWorthTrying * aim) continue;
    if (is_idle(k, expected[k].rms)) continue;
    raised_at_[k] = expected[k].rms;
    factors[k] = factor_for(k, expected[k].rms);
    changed = true;
  }
  if (!changed) return false;
  objective_.set_weight_factors(std::move(factors));
  at.objective_changed();
  return true;
}

Revision ToleranceWeights::revise(Point& point) {
  auto& at = static_cast<ShootingIterate&>(point);
  return at.predicted_misses().empty() ? Revision::kNone : revise(at, at.predicted_misses());
}

Revision ToleranceWeights::revise_at_rest(ShootingIterate& at) { return revise(at, at.misses()); }

Revision ToleranceWeights::revise(ShootingIterate& at, const std::vector<KeyframeMiss>& expected) {
  const std::vector<KeyframeMiss> misses = at.misses();
  std::vector<double> factors = objective_.weight_factors();
  bool least = true, changed = false;
  for (size_t k = 0; k < tolerances_.size(); ++k) {
    // Near enough without forces of its own: the weight that it began with stays.
    if (!counts(k) || kAim * tolerances_[k] >= uncontrolled_[k]) continue;
    const bool too_little =
        expected[k].rms > kCloseEnough * kAim * tolerances_[k] && !is_idle(k, expected[k].rms);
    const bool too_much = std::max(expected[k].rms, misses[k].rms) < kLeast * tolerances_[k];
    least = least && !too_much;
    if (!too_little && !too_much) continue;
    factors[k] = factor_for(k, expected[k].rms);
    changed = true;
  }
  raised_at_.assign(tolerances_.size(), 0.0);
  if (all_met(misses) && least) return Revision::kDone;
  if (!changed) return Revision::kNone;
  objective_.set_weight_factors(std::move(factors));
  at.objective_changed();
  return Revision::kChanged;
}

bool ToleranceWeights::all_met(const std::vector<KeyframeMiss>& misses) const {
  for (size_t k = 0; k < tolerances_.size(); ++k)
    if (counts(k) && misses[k].rms > tolerances_[k]) return false;
  return true;
}

double ToleranceWeights::merit(const ShootingIterate& at) const {
  const std::vector<KeyframeMiss> misses = at.misses();
  if (all_met(misses)) {
    const double effort = at.terms().effort + at.terms().smoothness;
    return effort / (1.0 + effort);
  }
  double worst = 0.0;
  for (size_t k = 0; k < tolerances_.size(); ++k)
    if (counts(k)) worst = std::max(worst, misses[k].rms / tolerances_[k]);
  return worst;
}

}  // namespace keydrape
