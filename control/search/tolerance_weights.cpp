#include "control/search/tolerance_weights.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace keydrape {

namespace {

// The misses to aim at and those that are needlessly small, over the tolerances. Effort hardly depends on
// where in this range they come to lie; a narrower one costs forward runs.
constexpr double kAim = 0.8, kLeast = 0.25;
// Largest change of a weight at once: 1/miss is affine in it for free particles only.
constexpr double kLargestChange = 20.0;
// Largest weight over that of a free particle (E1). Cloth in the wind needed 1e4 times as much.
constexpr double kLargestFactor = 1e6;
// A raised weight that leaves more of the prediction than this is no help: what the model cannot do, or CG
// does not get to, no weight brings about. Without this test they ran away (flag, 1 mm: to 1e6 times what was
// needed). Raises that were in vain so often in a row are the last.
constexpr double kIdle = 0.7;
constexpr int kVainRaises = 3;
// Raises in vain that leave so many tolerances are taken back at once: they would drown other goals. Nearer,
// the next linearisation may do what this one could not (flag, 10 mm: 5 runs instead of 7).
constexpr double kFar = 4.0;
// A correction that comes nearer for more effort than the weights have been worth is accepted at so many
// times the weights that just make it worth while.
constexpr double kRaise = 2.0;
// After a steered run that came nearer than asked, the first aim is so many times its miss, but within the
// range above: from there forces are let go of gradually, as the sheet in the wind wants that otherwise
// folds.
constexpr double kFirstAim = 4.0, kNearestAim = 0.35;
// Without forces within so many tolerances: other goals' forces decide what weight it takes to stay there.
constexpr double kNearBefore = 4.0;
// Predictions within this factor of the aim leave a weight alone, between iterations and before a trial.
constexpr double kCloseEnough = 1.1, kWorthTrying = 2.0;
// Once every tolerance is met: the share of the effort that a further run has to save.
constexpr double kWorthSaving = 0.05;
// ... and iterates that may miss again, on a way to less effort, before the search is content with what it
// had.
constexpr int kMaxMissedAgain = 4;

// The first step whose forces serve keyframe k at a state: that after the goal before. No keyframe of the
// same goal counts, and none without weight.
int first_step(const Objective& objective, size_t k, int state) {
  const std::vector<Keyframe>& keyframes = objective.keyframes();
  const auto is_same_goal = [&](size_t j) {
    return j == k || (keyframes[j].goal >= 0 && keyframes[j].goal == keyframes[k].goal);
  };
  int begin = 0;
  for (size_t j = 0; j < keyframes.size(); ++j)
    if (!is_same_goal(j) && keyframes[j].has_weight() && keyframes[j].state < state)
      begin = std::max(begin, keyframes[j].state);
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

// What the goal divides the miss of a keyframe by, for its positions or, where they have no weight, its
// velocities.
struct GoalScale {
  double weight;
  double unit_squared;  // of misses: l^2 [m^2], g_0 l [m^2/s^2]
  double tolerance;     // [m], [m/s]
};
GoalScale scale_of(const Keyframe& keyframe, const KeyframeTolerance& tolerance, double length) {
  if (keyframe.weight > 0.0) return {keyframe.weight, length * length, tolerance.rms};
  return {keyframe.velocity_weight, kStandardGravity * length, tolerance.velocity_rms};
}

double cost_of(const ShootingIterate& at) { return at.terms().effort + at.terms().smoothness; }

// The miss of a cloth that could not even be simulated without forces: its own size, the speed of its fall.
KeyframeMiss unknown_miss(double length) { return {length, length, std::sqrt(kStandardGravity * length)}; }

}  // namespace

double free_particle_response(const ShootingProblem& problem, int k, int state) {
  const ControlLayout& layout = problem.layout();
  const Objective& objective = problem.objective();
  const Keyframe& keyframe = objective.keyframes()[k];
  const double dt = problem.simulator().dt();
  const bool moves = keyframe.weight > 0.0;
  std::vector<double> lever(layout.block_count(), 0.0);  // dx/da of a block [s^2], or dv/da [s]
  for (int n = first_step(objective, k, state); n < state; ++n)
    if (layout.block_of_step(n) >= 0) lever[layout.block_of_step(n)] += moves ? dt * dt * (state - n) : dt;
  double S = 0.0;
  for (const double x : lever) S += x * x;
  const GoalScale scale = scale_of(keyframe, {1.0, 1.0}, objective.options().length);
  const double g = kStandardGravity;
  const double F_m = static_cast<double>(layout.block_count()) * layout.active_count();
  return scale.weight / (scale.unit_squared * keyframe.vertex_weight.sum()) * g * g * F_m * S /
         objective.options().effort;
}

ToleranceWeights::ToleranceWeights(ShootingProblem& problem, Objective& objective,
                                   std::vector<KeyframeTolerance> tolerances,
                                   const std::vector<KeyframeMiss>& uncontrolled)
    : problem_(problem), objective_(objective), tolerances_(std::move(tolerances)) {
  assert(&problem.objective() == &objective && objective.options().effort > 0.0);
  const std::vector<Keyframe>& keyframes = objective.keyframes();
  assert(tolerances_.size() == keyframes.size() && uncontrolled.size() == tolerances_.size());
  const KeyframeMiss unknown = unknown_miss(objective.options().length);
  for (size_t k = 0; k < keyframes.size(); ++k) {
    assert(tolerances_[k].rms > 0.0 && tolerances_[k].velocity_rms > 0.0);
    const auto same = std::find_if(goals_.begin(), goals_.end(), [&](const Goal& goal) {
      return keyframes[k].goal >= 0 && keyframes[goal.keyframes.front()].goal == keyframes[k].goal;
    });
    Goal& goal = same != goals_.end() ? *same : goals_.emplace_back();
    goal.keyframes.push_back(k);
    const bool is_known = std::isfinite(uncontrolled[k].rms);
    goal.uncontrolled =
        std::max(goal.uncontrolled, tolerances_[k].share(is_known ? uncontrolled[k] : unknown));
  }
  std::vector<double> factors(keyframes.size(), 1.0);
  for (Goal& goal : goals_) {
    const double wanted = std::max(1.0, goal.uncontrolled / kAim - 1.0);
    const size_t k = last(goal);
    // As if the weight of the whole goal lay on its last keyframe.
    goal.response = static_cast<double>(goal.keyframes.size()) *
                    free_particle_response(problem, static_cast<int>(k), keyframes[k].state);
    if (goal.response > 0.0) goal.first_factor = wanted / goal.response;  // (E1)
    for (const size_t j : goal.keyframes) factors[j] = goal.first_factor;
  }
  objective_.set_weight_factors(std::move(factors));
}

size_t ToleranceWeights::last(const Goal& goal) const {
  return *std::max_element(goal.keyframes.begin(), goal.keyframes.end(), [&](size_t a, size_t b) {
    return objective_.keyframes()[a].state < objective_.keyframes()[b].state;
  });
}

bool ToleranceWeights::is_near_without_forces(const Goal& goal) const { return goal.uncontrolled <= kAim; }

double ToleranceWeights::miss_of(const Goal& goal, const std::vector<KeyframeMiss>& misses) const {
  double largest = 0.0;
  for (const size_t k : goal.keyframes) largest = std::max(largest, tolerances_[k].share(misses[k]));
  return largest;
}

std::vector<double> ToleranceWeights::aims() const {
  std::vector<double> aims;
  for (const KeyframeTolerance& tolerance : tolerances_) aims.push_back(kAim * tolerance.rms);
  return aims;
}

void ToleranceWeights::learn_from(ShootingIterate& steered) {
  if (!steered.is_complete()) return;
  const std::vector<KeyframeMiss> misses = steered.misses();
  if (all_met(misses)) missed_since_ = 0;
  std::vector<double> factors = objective_.weight_factors();
  const ObjectiveOptions& options = objective_.options();
  for (const Goal& goal : goals_) {
    const double d = goal.uncontrolled, p = miss_of(goal, misses), way = d - p;
    if (is_near_without_forces(goal) || way <= 0.0) continue;
    const size_t first = goal.keyframes.front();
    const GoalScale scale = scale_of(objective_.keyframes()[first], tolerances_[first], options.length);
    const double effort = options.effort * effort_before(problem_, steered.z(), last(goal));
    const double weight = scale.weight * static_cast<double>(goal.keyframes.size());
    const double a = std::clamp(kFirstAim * p, kNearestAim, kAim);
    const double factor = scale.unit_squared / (weight * scale.tolerance * scale.tolerance) * effort *
                          (d - a) / (way * way * a);
    for (const size_t k : goal.keyframes) factors[k] = std::max(factors[k], factor);  // (E2)
  }
  objective_.set_weight_factors(std::move(factors));
  steered.objective_changed();
}

ShootingIterate& ToleranceWeights::choose_start(ShootingIterate& a, ShootingIterate& b) {
  const bool is_a_first = !b.is_complete() || (a.is_complete() && cost_of(a) <= cost_of(b));
  ShootingIterate &cheaper = is_a_first ? a : b, &other = is_a_first ? b : a;
  learn_from(cheaper);
  other.objective_changed();
  if (!(other.objective() < cheaper.objective())) return cheaper;
  learn_from(other);
  return other;
}

double ToleranceWeights::factor_for(const Goal& goal, double expected, double miss) const {
  const double factor = factor_of(goal);
  const double d = is_near_without_forces(goal)
                       ? std::max(kAim, std::max(expected, miss) * (1.0 + factor * goal.response))
                       : std::max(goal.uncontrolled, miss);
  const double p = std::min(expected, 0.99 * d);
  const double change = (1.0 / kAim - 1.0 / d) / (1.0 / p - 1.0 / d);
  const double next = factor * std::clamp(change, 1.0 / kLargestChange, kLargestChange);
  if (next < factor) return is_near_without_forces(goal) ? std::max(next, goal.first_factor) : next;
  return std::min(next, std::max(factor, kLargestFactor * goal.first_factor));
}

double ToleranceWeights::pull_of(const Goal& goal) const {
  const size_t first = goal.keyframes.front();
  const GoalScale scale =
      scale_of(objective_.keyframes()[first], tolerances_[first], objective_.options().length);
  if (scale.weight == 0.0 || !std::isfinite(scale.tolerance)) return 0.0;
  return static_cast<double>(goal.keyframes.size()) * scale.weight * scale.tolerance /
         std::sqrt(scale.unit_squared);
}

double ToleranceWeights::equal_factor(const Goal& goal) const {
  double strongest = 0.0;
  for (const Goal& other : goals_) strongest = std::max(strongest, factor_of(other) * pull_of(other));
  return strongest / pull_of(goal);  // (E5)
}

bool ToleranceWeights::is_in_vain(const Goal& goal, double expected) const {
  return goal.raised_at > 0.0 && expected > kIdle * goal.raised_at;
}

bool ToleranceWeights::is_given_up(const Goal& goal, double expected) const {
  return goal.vain_raises >= kVainRaises && expected > kIdle * goal.vain_at;
}

bool ToleranceWeights::judge_raise(Goal& goal, double expected) {
  if (!is_in_vain(goal, expected)) {
    if (goal.raised_at > 0.0 || expected <= kIdle * goal.vain_at) goal.vain_raises = 0;
    return false;
  }
  const bool is_far = expected > kFar;
  if (goal.vain_raises == 0 || is_far) goal.vain_from = goal.raised_from;
  ++goal.vain_raises;
  goal.vain_at = expected;
  return is_far || goal.vain_raises == kVainRaises;
}

bool ToleranceWeights::is_too_small(const Goal& goal, double expected, double miss) const {
  const bool is_least = is_near_without_forces(goal) && factor_of(goal) <= goal.first_factor;
  return !is_least && std::max(expected, miss) < kLeast;
}

bool ToleranceWeights::is_lowered_in_vain(const Goal& goal, double expected) const {
  return kIdle * expected < goal.lowered_at;
}

Revision ToleranceWeights::reconsider(Point& point, const VecX& step) {
  auto& at = static_cast<ShootingIterate&>(point);
  const auto [expected, cost] = problem_.bounds() ? at.predict_change(step) : at.predict(step);
  if (met_cost_ > 0.0) return cost > (1.0 - kWorthSaving) * met_cost_ ? Revision::kDone : Revision::kNone;
  const std::vector<KeyframeMiss> misses = at.misses();
  std::vector<double> factors = objective_.weight_factors();
  bool changed = false;
  for (Goal& goal : goals_) {
    const double p = miss_of(goal, expected);
    if (p <= kWorthTrying * kAim || is_given_up(goal, p)) continue;
    const bool in_vain = is_in_vain(goal, p);
    if (in_vain && goal.uncontrolled > kNearBefore) continue;
    const double factor = in_vain ? equal_factor(goal) : factor_for(goal, p, miss_of(goal, misses));
    if (factor <= factor_of(goal)) continue;
    if (!in_vain) goal.raised_from = factor_of(goal);
    goal.raised_at = p;
    goal.lowered_at = 0.0;
    for (const size_t k : goal.keyframes) factors[k] = factor;
    changed = true;
  }
  if (!changed) return Revision::kNone;
  objective_.set_weight_factors(std::move(factors));
  at.objective_changed();
  return Revision::kChanged;
}

bool ToleranceWeights::ends_at(const Point&, const Point* trial) {
  return met_cost_ > 0.0 && !(trial && all_met(static_cast<const ShootingIterate&>(*trial).misses()));
}

bool ToleranceWeights::prefers(Point& point, Point& correction) {
  auto& at = static_cast<ShootingIterate&>(point);
  auto& nearer = static_cast<ShootingIterate&>(correction);
  if (!nearer.is_complete() || !(merit(nearer) < merit(at))) return false;
  const std::vector<KeyframeMiss> misses = at.misses();
  const auto rise = [&] { return nearer.objective() - at.objective(); };
  const std::vector<double> before = objective_.weight_factors();
  std::vector<double> without = before, factors = before;
  for (const Goal& goal : goals_)
    if (miss_of(goal, misses) > 1.0)
      for (const size_t k : goal.keyframes) without[k] = 0.0;
  const auto set = [&](const std::vector<double>& next) {
    objective_.set_weight_factors(next);
    at.objective_changed();
    nearer.objective_changed();
  };
  const double all = rise();
  set(without);
  const double rest = rise(), fall = rest - all;  // fall: of the terms of missed goals
  const double raise = kRaise * rest / fall;
  if (fall > 0.0 && raise <= kLargestChange) {
    for (size_t k = 0; k < factors.size(); ++k)
      if (without[k] == 0.0) factors[k] *= raise;
    set(factors);  // (E6)
    if (rise() < 0.0) return true;
  }
  set(before);
  return false;
}

Revision ToleranceWeights::revise(Point& point, StepKind last_step) {
  auto& at = static_cast<ShootingIterate&>(point);
  return revise(at, last_step == StepKind::kCorrection ? at.misses() : at.predicted_misses(), last_step);
}

Revision ToleranceWeights::revise_at_rest(ShootingIterate& at) {
  const Revision revision = revise(at, at.misses(), StepKind::kFull);
  return met_cost_ > 0.0 ? Revision::kDone : revision;
}

Revision ToleranceWeights::revise(ShootingIterate& at, const std::vector<KeyframeMiss>& expected,
                                  StepKind last_step) {
  const std::vector<KeyframeMiss> misses = at.misses();
  const bool is_full = last_step == StepKind::kFull;
  std::vector<double> factors = objective_.weight_factors();
  bool least = true, changed = false;
  for (Goal& goal : goals_) {
    const double p = miss_of(goal, expected), miss = miss_of(goal, misses);
    const bool too_small = is_too_small(goal, p, miss), in_vain = is_lowered_in_vain(goal, p);
    least = least && !(too_small && (!in_vain || !is_full));
    double factor = factor_of(goal);
    if (is_full && judge_raise(goal, p)) {
      factor = goal.vain_from;
    } else if (too_small && !in_vain) {
      goal.lowered_at = p;
      factor = factor_for(goal, p, miss);
    } else if (last_step != StepKind::kCorrection && p > kCloseEnough * kAim && !is_in_vain(goal, p) &&
               !is_given_up(goal, p)) {
      goal.lowered_at = 0.0;
      factor = factor_for(goal, p, miss);
    }
    goal.raised_at = 0.0;
    changed = changed || factor != factor_of(goal);
    for (const size_t k : goal.keyframes) factors[k] = factor;
  }
  const bool are_met = all_met(misses);
  if (are_met)
    missed_since_ = 0;
  else if (missed_since_ >= 0 && ++missed_since_ > kMaxMissedAgain)
    return Revision::kDone;
  const double met_before = std::exchange(met_cost_, are_met && least ? cost_of(at) : 0.0);
  if (met_cost_ > 0.0) {
    const bool saves = met_before == 0.0 || met_cost_ < (1.0 - kWorthSaving) * met_before;
    return saves ? Revision::kNone : Revision::kDone;
  }
  if (!changed) return Revision::kNone;
  objective_.set_weight_factors(std::move(factors));
  at.objective_changed();
  return Revision::kChanged;
}

std::vector<double> ToleranceWeights::memory() const {
  std::vector<double> memory{static_cast<double>(missed_since_), met_cost_};
  for (const Goal& goal : goals_)
    memory.insert(memory.end(),
                  {goal.lowered_at, static_cast<double>(goal.vain_raises), goal.vain_at, goal.vain_from});
  return memory;
}

void ToleranceWeights::remember(const std::vector<double>& memory) {
  assert(memory.size() == kMemory + kMemoryOfGoal * goals_.size());
  auto next = memory.begin();
  missed_since_ = static_cast<int>(*next++);
  met_cost_ = *next++;
  for (Goal& goal : goals_) {
    goal.lowered_at = *next++;
    goal.vain_raises = static_cast<int>(*next++);
    goal.vain_at = *next++;
    goal.vain_from = *next++;
  }
}

bool ToleranceWeights::all_met(const std::vector<KeyframeMiss>& misses) const {
  return std::all_of(goals_.begin(), goals_.end(),
                     [&](const Goal& goal) { return miss_of(goal, misses) <= 1.0; });
}

double ToleranceWeights::merit(const ShootingIterate& at) const {
  const std::vector<KeyframeMiss> misses = at.misses();
  int missed = 0;
  double far = 0.0;
  for (const Goal& goal : goals_) {
    const double miss = miss_of(goal, misses);
    if (miss <= 1.0) continue;
    ++missed;
    far += 1.0 - 1.0 / miss;
  }
  if (missed > 0) return missed + far / static_cast<double>(goals_.size());  // (E4)
  return cost_of(at) / (1.0 + cost_of(at));
}

}  // namespace keydrape
