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

// The first step whose forces serve keyframe k at a state: that after the goal before. No keyframe of the
// same goal counts.
int first_step(const Objective& objective, size_t k, int state) {
  const std::vector<Keyframe>& keyframes = objective.keyframes();
  const auto is_same_goal = [&](size_t j) {
    return j == k || (keyframes[j].goal >= 0 && keyframes[j].goal == keyframes[k].goal);
  };
  int begin = 0;
  for (size_t j = 0; j < keyframes.size(); ++j)
    if (!is_same_goal(j) && keyframes[j].state < state) begin = std::max(begin, keyframes[j].state);
  return begin;
}

// |z|^2 of the blocks that serve keyframe k.
double effort_before(const ShootingProblem& problem, const VecX& z, size_t k) {
  const ControlLayout& layout = problem.layout();
  const int state = problem.objective().keyframes()[k].state;
  double sum = 0.0;
  int previous = -1;
  for (int n = first_step(problem.objective(), k, state); n < state; ++n) {
    const int block = layout.block_of_step(n);
    if (block < 0 || block == previous) continue;
    previous = block;
    for (int i = 0; i < layout.active_count(); ++i)
      sum += (layout.acceleration(z, block, i) / layout.acceleration_scale(i)).squaredNorm();
  }
  return sum;
}

}  // namespace

double free_particle_response(const ShootingProblem& problem, int k, int state) {
  const ControlLayout& layout = problem.layout();
  const Objective& objective = problem.objective();
  const Keyframe& keyframe = objective.keyframes()[k];
  const double dt = problem.simulator().dt();
  std::vector<double> lever(layout.block_count(), 0.0);  // dx/da of a block [s^2]
  for (int n = first_step(objective, k, state); n < state; ++n)
    if (layout.block_of_step(n) >= 0) lever[layout.block_of_step(n)] += dt * dt * (state - n);
  double S = 0.0;
  for (const double x : lever) S += x * x;
  const double g = kStandardGravity, l = objective.options().length;
  const double F_m = static_cast<double>(layout.block_count()) * layout.active_count();
  return keyframe.weight / (l * l * keyframe.vertex_weight.sum()) * g * g * F_m * S /
         objective.options().effort;
}

ToleranceWeights::ToleranceWeights(ShootingProblem& problem, Objective& objective,
                                   std::vector<KeyframeTolerance> tolerances,
                                   const std::vector<KeyframeMiss>& uncontrolled)
    : problem_(problem), objective_(objective), tolerances_(std::move(tolerances)) {
  assert(&problem.objective() == &objective && objective.options().effort > 0.0);
  const std::vector<Keyframe>& keyframes = objective.keyframes();
  assert(tolerances_.size() == keyframes.size() && uncontrolled.size() == tolerances_.size());
  for (size_t k = 0; k < keyframes.size(); ++k) {
    assert(tolerances_[k].rms > 0.0 && tolerances_[k].velocity_rms > 0.0);
    const auto same = std::find_if(goals_.begin(), goals_.end(), [&](const Goal& goal) {
      return keyframes[k].goal >= 0 && keyframes[goal.keyframes.front()].goal == keyframes[k].goal;
    });
    Goal& goal = same != goals_.end() ? *same : goals_.emplace_back(Goal{{}, tolerances_[k].rms});
    goal.keyframes.push_back(k);
    goal.tolerance = std::min(goal.tolerance, tolerances_[k].rms);
    // A cloth that could not even be simulated without forces may be off by its own size.
    goal.uncontrolled = std::max(goal.uncontrolled, std::isfinite(uncontrolled[k].rms)
                                                        ? tolerances_[k].in_positions(uncontrolled[k])
                                                        : objective.options().length);
  }
  std::vector<double> factors(keyframes.size(), 1.0);
  for (const Goal& goal : goals_) {
    const double wanted = std::max(1.0, goal.uncontrolled / (kAim * goal.tolerance) - 1.0);
    const size_t k = last(goal);
    // As if the weight of the whole goal lay on its last keyframe.
    const double response = static_cast<double>(goal.keyframes.size()) *
                            free_particle_response(problem, static_cast<int>(k), keyframes[k].state);
    for (const size_t j : goal.keyframes) factors[j] = response > 0.0 ? wanted / response : 1.0;  // (E1)
  }
  objective_.set_weight_factors(std::move(factors));
}

size_t ToleranceWeights::last(const Goal& goal) const {
  return *std::max_element(goal.keyframes.begin(), goal.keyframes.end(), [&](size_t a, size_t b) {
    return objective_.keyframes()[a].state < objective_.keyframes()[b].state;
  });
}

bool ToleranceWeights::counts(const Goal& goal) const {
  const Keyframe& first = objective_.keyframes()[goal.keyframes.front()];
  return first.weight > 0.0 && kAim * goal.tolerance < goal.uncontrolled;
}

double ToleranceWeights::miss_of(const Goal& goal, const std::vector<KeyframeMiss>& misses) const {
  double largest = 0.0;
  for (const size_t k : goal.keyframes) largest = std::max(largest, tolerances_[k].in_positions(misses[k]));
  return largest;
}

void ToleranceWeights::learn_from(ShootingIterate& steered) {
  if (!steered.is_complete()) return;
  const std::vector<KeyframeMiss> misses = steered.misses();
  std::vector<double> factors = objective_.weight_factors();
  const ObjectiveOptions& options = objective_.options();
  for (const Goal& goal : goals_) {
    const double d = goal.uncontrolled, aim = kAim * goal.tolerance, way = d - miss_of(goal, misses);
    if (!counts(goal) || way <= 0.0) continue;
    const double effort = options.effort * effort_before(problem_, steered.z(), last(goal));
    const double weight =
        objective_.keyframes()[goal.keyframes.front()].weight * static_cast<double>(goal.keyframes.size());
    const double factor = options.length * options.length / weight * effort * (d - aim) / (way * way * aim);
    for (const size_t k : goal.keyframes) factors[k] = std::max(factors[k], factor);  // (E2)
  }
  objective_.set_weight_factors(std::move(factors));
  steered.objective_changed();
}

double ToleranceWeights::factor_for(const Goal& goal, double expected_miss) const {
  const double aim = kAim * goal.tolerance, d = goal.uncontrolled, miss = std::min(expected_miss, 0.99 * d);
  const double change = (1.0 / aim - 1.0 / d) / (1.0 / miss - 1.0 / d);
  return factor_of(goal) * std::clamp(change, 1.0 / kLargestChange, kLargestChange);
}

bool ToleranceWeights::is_idle(const Goal& goal, double expected_miss) const {
  return goal.raised_at > 0.0 && expected_miss > kIdle * goal.raised_at;
}

bool ToleranceWeights::is_too_small(const Goal& goal, double expected_miss, double miss) const {
  return std::max(expected_miss, miss) < kLeast * goal.tolerance && kIdle * expected_miss >= goal.lowered_at;
}

bool ToleranceWeights::reconsider(Point& point, const VecX& step) {
  auto& at = static_cast<ShootingIterate&>(point);
  const std::vector<KeyframeMiss> expected = problem_.bounds() ? at.predict_change(step) : at.predict(step);
  std::vector<double> factors = objective_.weight_factors();
  bool changed = false;
  for (Goal& goal : goals_) {
    const double miss = miss_of(goal, expected);
    if (!counts(goal) || miss <= kWorthTrying * kAim * goal.tolerance) continue;
    if (is_idle(goal, miss)) continue;
    goal.raised_at = miss;
    goal.lowered_at = 0.0;
    for (const size_t k : goal.keyframes) factors[k] = factor_for(goal, miss);
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
  for (Goal& goal : goals_) {
    // Near enough without forces of its own: the weight that it began with stays.
    if (!counts(goal)) continue;
    const double predicted = miss_of(goal, expected);
    const bool too_little = predicted > kCloseEnough * kAim * goal.tolerance && !is_idle(goal, predicted);
    const bool too_much = is_too_small(goal, predicted, miss_of(goal, misses));
    least = least && !too_much;
    if (!too_little && !too_much) continue;
    goal.lowered_at = too_much ? predicted : 0.0;
    for (const size_t k : goal.keyframes) factors[k] = factor_for(goal, predicted);
    changed = true;
  }
  for (Goal& goal : goals_) goal.raised_at = 0.0;
  if (all_met(misses) && least) return Revision::kDone;
  if (!changed) return Revision::kNone;
  objective_.set_weight_factors(std::move(factors));
  at.objective_changed();
  return Revision::kChanged;
}

std::vector<double> ToleranceWeights::memory() const {
  std::vector<double> memory;
  for (const Goal& goal : goals_) memory.push_back(goal.lowered_at);
  return memory;
}

void ToleranceWeights::remember(const std::vector<double>& memory) {
  assert(memory.size() == goals_.size());
  for (std::size_t k = 0; k < goals_.size(); ++k) goals_[k].lowered_at = memory[k];
}

bool ToleranceWeights::all_met(const std::vector<KeyframeMiss>& misses) const {
  for (size_t k = 0; k < tolerances_.size(); ++k)
    if (objective_.keyframes()[k].weight > 0.0 && tolerances_[k].in_positions(misses[k]) > tolerances_[k].rms)
      return false;
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
    if (objective_.keyframes()[k].weight > 0.0)
      worst = std::max(worst, tolerances_[k].in_positions(misses[k]) / tolerances_[k].rms);
  return worst;
}

}  // namespace keydrape
