#include "control/search/tolerance_weights.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "control/search/free_particle.h"
#include "control/shooting/shooting_iterate.h"

namespace keydrape {
namespace {

// The misses to aim at and those that are needlessly small, over the tolerances. Effort hardly depends on
// where in this range they come to lie; a narrower one costs forward runs.
constexpr double kAim = ToleranceWeights::kAim, kLeast = 0.25;
// Largest change of a weight at once: 1/miss is affine in it for free particles only.
constexpr double kLargestChange = 20.0;
// Largest weight over that of a free particle (E1). Cloth in the wind needed 1e4 times as much.
constexpr double kLargestFactor = 1e6;
// A correction that comes nearer for more effort than the weights have been worth is accepted at so many
// times the weights that just make it worth while.
constexpr double kRaise = 2.0;
// After a steered run that came nearer than asked, the first aim is so many times its miss, but
// within the range above: from there forces are let go of gradually, as the sheet in the wind wants
// that otherwise folds.
constexpr double kFirstAim = 4.0, kNearestAim = 0.35;
// Without forces within so many tolerances: other targets' forces decide what weight it takes to stay there,
// and by how much it may fall.
constexpr double kNearBefore = 4.0;
// Predictions within this factor of the aim leave a weight alone before a trial.
constexpr double kWorthTrying = 2.0;

double cost_of(const ShootingIterate& at) { return at.terms().effort + at.terms().smoothness; }

// Of two starts, one of which is complete.
bool is_cheaper(const ShootingIterate& a, const ShootingIterate& b) {
  return !b.is_complete() || (a.is_complete() && a.terms().effort <= b.terms().effort);
}

// The miss of a cloth that could not even be simulated without forces: its own size, the speed of its fall.
KeyframeMiss unknown_miss(double length) { return {length, length, std::sqrt(kStandardGravity * length)}; }

ShootingIterate& run_of(Point& point) { return static_cast<ShootingIterate&>(point); }

}  // namespace

ToleranceWeights::ToleranceWeights(const ShootingProblem& problem, const GoalState& goal,
                                   std::vector<KeyframeTolerance> tolerances,
                                   const std::vector<KeyframeMiss>& uncontrolled)
    : problem_(problem),
      tolerances_(std::move(tolerances)),
      wanted_(problem.feedback(goal).change_price > 0.0 ? Wanted::kAsked : Wanted::kPursued),
      farthest_(goal.keyframes.size(), FarthestVertices(problem.simulator().model().vertex_count())) {
  const ObjectiveOptions& options = problem.objective().options();
  const std::vector<Keyframe>& keyframes = goal.keyframes;
  assert(options.effort > 0.0);
  assert(tolerances_.size() == keyframes.size() && uncontrolled.size() == tolerances_.size());
  const KeyframeMiss unknown = unknown_miss(options.length);
  for (std::size_t k = 0; k < keyframes.size(); ++k) {
    assert(tolerances_[k].rms > 0.0 && tolerances_[k].velocity_rms > 0.0);
    const auto same = std::find_if(targets_.begin(), targets_.end(), [&](const Target& target) {
      return keyframes[k].target_id >= 0 &&
             keyframes[target.keyframes.front()].target_id == keyframes[k].target_id;
    });
    Target& target = same != targets_.end() ? *same : targets_.emplace_back();
    target.keyframes.push_back(k);
    const bool is_known = std::isfinite(uncontrolled[k].rms);
    target.uncontrolled =
        std::max(target.uncontrolled, tolerances_[k].share(is_known ? uncontrolled[k] : unknown));
  }
  for (Target& target : targets_) {
    const double wanted = std::max(1.0, target.uncontrolled / kAim - 1.0);
    const std::size_t k = last(target, goal);
    // As if the weight of the whole target lay on its last keyframe.
    target.response = static_cast<double>(target.keyframes.size()) *
                      free_particle_response(problem, goal, k, keyframes[k].state);
    if (target.response > 0.0) target.first_factor = wanted / target.response;  // (E1)
  }
}

void ToleranceWeights::keep_forces_even() { peaks_.emplace(problem_.layout()); }

GoalPointer ToleranceWeights::with(const GoalState& goal, std::vector<double> factors) {
  factors_ = factors;
  GoalState changed = goal;
  changed.weight_factors = std::move(factors);
  changed.change_share = prices_.share();
  changed.force_prices = peaks_ ? peaks_->prices() : nullptr;
  for (std::size_t k = 0; k < farthest_.size(); ++k)
    changed.keyframes[k].vertex_factor = farthest_[k].factors();
  return std::make_shared<const GoalState>(std::move(changed));
}

GoalPointer ToleranceWeights::first_goal(const GoalState& goal) {
  prices_.begin(problem_.feedback(goal).change_price);
  std::vector<double> factors(goal.keyframes.size(), 1.0);
  for (const Target& target : targets_)
    for (const std::size_t k : target.keyframes) factors[k] = target.first_factor;
  return with(goal, std::move(factors));
}

std::size_t ToleranceWeights::last(const Target& target, const GoalState& goal) const {
  return *std::max_element(
      target.keyframes.begin(), target.keyframes.end(),
      [&](std::size_t a, std::size_t b) { return goal.keyframes[a].state < goal.keyframes[b].state; });
}

bool ToleranceWeights::is_met_without_forces(const Target& target) const {
  return target.uncontrolled <= 1.0;
}

double ToleranceWeights::miss_of(const Target& target, const std::vector<KeyframeMiss>& misses) const {
  double largest = 0.0;
  for (const std::size_t k : target.keyframes) largest = std::max(largest, tolerances_[k].share(misses[k]));
  return largest;
}

double ToleranceWeights::farthest_of(const Target& target, const std::vector<KeyframeMiss>& misses,
                                     Wanted wanted) const {
  double largest = 0.0;
  for (const std::size_t k : target.keyframes) {
    const bool counts =
        tolerances_[k].is_max_asked || (wanted == Wanted::kPursued && !farthest_[k].is_given_up());
    if (counts) largest = std::max(largest, tolerances_[k].share_of_farthest(misses[k]));
  }
  return largest;
}

bool ToleranceWeights::pursue_farthest(const ShootingIterate& at, const std::vector<KeyframeMiss>& misses) {
  const std::vector<Keyframe>& keyframes = at.goal().keyframes;
  bool any = false;
  for (std::size_t k = 0; k < keyframes.size(); ++k) {
    const KeyframeTolerance& tolerance = tolerances_[k];
    if (tolerance.share_of_farthest(misses[k]) <= 1.0 || tolerance.share(misses[k]) > 1.0 ||
        farthest_[k].is_given_up())
      continue;
    const State compared = compared_state(keyframes[k], states_of(at.trajectory()));
    any = farthest_[k].follow(vertex_distances(keyframes[k], compared.x), tolerance.max) || any;
  }
  return any;
}

void ToleranceWeights::learn_from(ShootingIterate& steered) {
  if (!steered.is_complete()) return;
  const GoalState& goal = steered.goal();
  const std::vector<KeyframeMiss> misses = steered.misses();
  // What it changes on the way is to be given back, however often that takes to meet them again.
  if (problem_.feedback(goal).change_price == 0.0) {
    if (all_met(misses)) {
      since_met_ = MissedAgain();
      cost_when_met_ = cost_of(steered);
    }
    remember_if_best(steered, merit(steered));
  }
  std::vector<double> factors = goal.weight_factors;
  const ObjectiveOptions& options = problem_.objective().options();
  for (const Target& target : targets_) {
    const double d = target.uncontrolled, p = miss_of(target, misses), way = d - p;
    if (is_met_without_forces(target) || way <= 0.0) continue;
    const std::size_t first = target.keyframes.front();
    const GoalScale scale = scale_of(goal.keyframes[first], tolerances_[first], options.length);
    const double effort = options.effort * effort_before(problem_, goal, steered.z(), last(target, goal));
    const double weight = scale.weight * static_cast<double>(target.keyframes.size());
    const double a = std::clamp(kFirstAim * p, kNearestAim, kAim);
    const double factor = scale.unit_squared / (weight * scale.tolerance * scale.tolerance) * effort *
                          (d - a) / (way * way * a);
    for (const std::size_t k : target.keyframes) factors[k] = std::max(factors[k], factor);  // (E2)
  }
  steered.measure_by(with(goal, std::move(factors)));
}

double ToleranceWeights::compare_starts(ShootingIterate& a, ShootingIterate& b) {
  // Changes of forces can be made fewer later on, and say nothing of where that leads.
  const auto objective = [](const ShootingIterate& at) {
    return at.adapted_objective() - at.terms().smoothness;
  };
  ShootingIterate &cheaper = is_cheaper(a, b) ? a : b, &other = &cheaper == &a ? b : a;
  learn_from(cheaper);
  other.measure_by(cheaper.shared_goal());
  return objective(a) / objective(b);
}

ShootingIterate& ToleranceWeights::choose_start(ShootingIterate& a, ShootingIterate& b) {
  const bool is_a_cheaper = is_cheaper(a, b);
  ShootingIterate &cheaper = is_a_cheaper ? a : b, &other = is_a_cheaper ? b : a;
  if (!(compare_starts(other, cheaper) < 1.0)) return cheaper;
  learn_from(other);
  return other;
}

double ToleranceWeights::factor_for(const Target& target, const Standing& now, double aim) const {
  const auto [factor, expected, miss] = now;
  double d = std::max(target.uncontrolled, miss);
  const double thrown_off = std::max(expected, miss) * (1.0 + factor * target.response);
  if (is_met_without_forces(target))
    d = std::max({kAim, target.uncontrolled, thrown_off});
  else if (target.uncontrolled <= kNearBefore && expected < aim)
    d = std::max(d, thrown_off);
  const double p = std::min(expected, 0.99 * d);
  const double change = (1.0 / aim - 1.0 / d) / (1.0 / p - 1.0 / d);
  const double next = factor * std::clamp(change, 1.0 / kLargestChange, kLargestChange);
  if (next < factor) return is_met_without_forces(target) ? std::max(next, target.first_factor) : next;
  return std::min(next, std::max(factor, kLargestFactor * prices_.rise() * target.first_factor));
}

double ToleranceWeights::pull_of(const Target& target, const GoalState& goal) const {
  const std::size_t first = target.keyframes.front();
  const GoalScale scale =
      scale_of(goal.keyframes[first], tolerances_[first], problem_.objective().options().length);
  if (scale.weight == 0.0 || !std::isfinite(scale.tolerance)) return 0.0;
  return static_cast<double>(target.keyframes.size()) * scale.weight * scale.tolerance /
         std::sqrt(scale.unit_squared);
}

double ToleranceWeights::equal_factor(const Target& target, const GoalState& goal) const {
  double strongest = 0.0;
  for (const Target& other : targets_)
    strongest = std::max(strongest, goal.weight_factors[other.keyframes.front()] * pull_of(other, goal));
  return strongest / pull_of(target, goal);
}

bool ToleranceWeights::is_too_small(const Target& target, const Standing& now) const {
  const bool is_least = is_met_without_forces(target) && now.factor <= target.first_factor;
  return !is_least && std::max(now.expected, now.miss) < kLeast;
}

bool ToleranceWeights::is_alone(const Target& target, const std::vector<KeyframeMiss>& misses) const {
  return targets_.size() > 1 && std::all_of(targets_.begin(), targets_.end(), [&](const Target& other) {
           return &other == &target || miss_of(other, misses) <= 1.0;
         });
}

Verdict ToleranceWeights::before_trial(Point& point, const Proposal& proposed) {
  ShootingIterate& at = run_of(point);
  const std::optional<Prediction> predicted =
      proposed.image ? at.predict(*proposed.image) : at.predict_change(proposed.step);
  if (!predicted) return Verdict::kNone;
  const auto& [expected, cost] = *predicted;
  if (met_cost_ > 0.0) return judge_saving(at, proposed, expected, cost);
  const std::vector<KeyframeMiss> misses = at.misses();
  const GoalState& goal = at.goal();
  std::vector<double> factors = goal.weight_factors;
  bool changed = false;
  for (Target& target : targets_) {
    const double p = miss_of(target, expected), factor = goal.weight_factors[target.keyframes.front()];
    if (p <= kWorthTrying * kAim || target.course.is_given_up(p)) continue;
    const bool in_vain = target.course.is_raised_in_vain(p);
    if (in_vain && target.uncontrolled > kNearBefore) continue;
    const double next =
        in_vain ? equal_factor(target, goal) : factor_for(target, {factor, p, miss_of(target, misses)});
    if (next <= factor) continue;
    target.course.raise_before_trial(
        {.miss = miss_of(target, misses),
         .p = p,
         .from = factor,
         .may_be_small = target.uncontrolled <= kNearBefore || targets_.size() == 1,
         .is_alone = p > WeightCourse::kFarAway && is_alone(target, misses)});
    for (const std::size_t k : target.keyframes) factors[k] = next;
    changed = true;
  }
  if (!changed) return Verdict::kNone;
  at.measure_by(with(goal, std::move(factors)));
  return Verdict::kChanged;
}

bool ToleranceWeights::accepts_correction(Point& point, Point& correction) {
  ShootingIterate &at = run_of(point), &nearer = run_of(correction);
  if (!nearer.is_complete() || !(merit(nearer) < merit(at)) || is_dear(nearer, at)) return false;
  // Abrupt, and what raises the prices next: a step of the model does as well, if later.
  if (!prices_.all_count()) return false;
  const std::vector<KeyframeMiss> misses = at.misses();
  const auto rise = [&] { return nearer.objective() - at.objective(); };
  const GoalPointer before = at.shared_goal();
  std::vector<double> without = before->weight_factors, factors = without;
  for (const Target& target : targets_)
    if (miss_of(target, misses) > 1.0)
      for (const std::size_t k : target.keyframes) without[k] = 0.0;
  const auto measure_both_by = [&](const std::vector<double>& weights) {
    const GoalPointer goal = with(*before, weights);
    at.measure_by(goal);
    nearer.measure_by(goal);
  };
  const double all = rise();
  measure_both_by(without);
  const double rest = rise(), fall = rest - all;  // fall: of the terms of missed targets
  const double raise = std::max(1.0, kRaise * rest / fall);
  if (fall > 0.0 && raise <= kLargestChange) {
    for (std::size_t k = 0; k < factors.size(); ++k)
      if (without[k] == 0.0) factors[k] *= raise;
    measure_both_by(factors);  // (E6)
    if (rise() < 0.0) return true;
  }
  measure_both_by(before->weight_factors);
  return false;
}

Verdict ToleranceWeights::after_step(Point& point, StepKind last_step) {
  ShootingIterate& at = run_of(point);
  return after_step(at, last_step == StepKind::kCorrection ? at.misses() : at.predicted_misses(), last_step);
}

Verdict ToleranceWeights::after_rest(ShootingIterate& at) {
  const Verdict verdict = after_step(at, at.misses(), StepKind::kFull);
  return met_cost_ > 0.0 ? Verdict::kDone : verdict;
}

double ToleranceWeights::next_factor(Target& target, const Standing& now, StepKind last_step) {
  WeightCourse& course = target.course;
  const double expected = now.expected;
  if (last_step == StepKind::kFull && course.is_one_too_many(expected, now.miss))
    return course.factor_before();
  if (is_too_small(target, now) && !course.is_lowered_in_vain(expected)) {
    course.lower(expected);
    return factor_for(target, now);
  }
  const bool is_far = last_step != StepKind::kCorrection && expected > kCloseEnough * kAim;
  if (!is_far || course.is_raised_in_vain(expected) || course.is_given_up(expected)) return now.factor;
  course.raise();
  return factor_for(target, now);
}

Verdict ToleranceWeights::after_step(ShootingIterate& at, const std::vector<KeyframeMiss>& expected,
                                     StepKind last_step) {
  const std::vector<KeyframeMiss> misses = at.misses();
  const bool are_met = all_met(misses);
  const auto round = are_met ? PeakPrices::Round::kCounts : PeakPrices::Round::kOnTheWay;
  const bool are_dearer = peaks_ && prices_.all_count() && peaks_->follow(problem_.layout(), at.z(), round);
  const GoalPointer before = at.shared_goal();
  const GoalState& goal = *before;
  std::vector<double> factors = goal.weight_factors;
  bool least = true, changed = are_dearer;
  for (Target& target : targets_) {
    const Standing now{.factor = goal.weight_factors[target.keyframes.front()],
                       .expected = miss_of(target, expected),
                       .miss = miss_of(target, misses)};
    const bool is_settled = last_step == StepKind::kFull && target.course.is_lowered_in_vain(now.expected);
    least = least && (is_settled || !is_too_small(target, now));
    const double next = next_factor(target, now, last_step);
    target.course.end_iteration();
    changed = changed || next != now.factor;
    for (const std::size_t k : target.keyframes) factors[k] = next;
  }
  const bool is_pursued = pursue_farthest(at, misses);
  changed = is_pursued || changed;
  if (are_met) {
    since_met_ = MissedAgain();
    cost_when_met_ = cost_of(at);
  }
  if (are_met && !prices_.all_count()) {
    const double raise = prices_.raise(at.terms());  // (E7)
    for (double& factor : factors) factor *= raise;
    at.measure_by(with(goal, std::move(factors)));
    return Verdict::kRenewed;
  }
  if (!are_met && prices_.all_count() && since_met_ &&
      since_met_->is_one_too_many(merit(at), may_miss_again(cost_of(at), cost_when_met_)))
    return Verdict::kDone;
  if (prices_.all_count()) count_after_met(misses);
  if (prices_.all_count() && pursues_in_vain(at)) return Verdict::kDone;
  if (are_dearer) at.measure_by(with(goal, factors));
  met_cost_ = least && all_met(misses, Wanted::kAsked) ? cost_of(at) : 0.0;
  if (met_cost_ > 0.0) {
    if (is_pursued) at.measure_by(with(at.goal(), at.goal().weight_factors));
    return are_dearer || is_pursued ? Verdict::kChanged : Verdict::kNone;
  }
  if (!changed) return Verdict::kNone;
  if (!are_dearer) at.measure_by(with(goal, std::move(factors)));
  return Verdict::kChanged;
}

ToleranceWeights::Memory ToleranceWeights::memory() const {
  Memory memory{.since_met = since_met_,
                .met_cost = met_cost_,
                .cost_when_met = cost_when_met_,
                .best_met = best_met_,
                .after_met = after_met_,
                .targets = {},
                .farthest = {},
                .prices = prices_.memory(),
                .peaks = peaks_ ? peaks_->memory() : PeakPrices::Memory{}};
  for (const Target& target : targets_) memory.targets.push_back(target.course.memory());
  for (const FarthestVertices& farthest : farthest_) memory.farthest.push_back(farthest.memory());
  return memory;
}

void ToleranceWeights::remember(const Memory& memory) {
  assert(memory.targets.size() == targets_.size() && memory.farthest.size() == farthest_.size());
  since_met_ = memory.since_met;
  met_cost_ = memory.met_cost;
  cost_when_met_ = memory.cost_when_met;
  best_met_ = memory.best_met;
  after_met_ = memory.after_met;
  prices_.remember(memory.prices);
  if (peaks_) peaks_->remember(memory.peaks);
  for (std::size_t t = 0; t < targets_.size(); ++t) targets_[t].course = WeightCourse(memory.targets[t]);
  for (std::size_t k = 0; k < farthest_.size(); ++k) farthest_[k].remember(memory.farthest[k]);
}

}  // namespace keydrape
