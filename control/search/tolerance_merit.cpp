// How good runs are whose goal follows from tolerances (E4), and what further ones are worth.

#include <algorithm>
#include <cmath>

#include "control/search/tolerance_weights.h"
#include "control/shooting/shooting_iterate.h"

namespace keydrape {
namespace {

// How much more a run may cost whose vertices are all as near as was not even asked for: twice the forces, or
// in proportion where the farthest is beyond that by less than this share.
constexpr double kWorthOfFarthest = 4.0, kFullyBeyond = 0.5;

// What coming nearer may cost: so many times the forces before, times this power of how much nearer it is. A
// pose that hardly any force brings within its tolerance is snatched into it by a correction, and the weights
// that pay for that stay. Against no forces at all everything is dear: there weights decide alone.
constexpr double kDear = 2.0, kPowerOfNearer = 4.0;

// Once all is met that was asked for: the share of the goal, or of the effort, that the model has to promise
// for a further run, and that the last iterations have to have brought together; and where that is a part of
// what it would promise, since the trust region cuts the step or further vectors are dear.
constexpr double kWorthSaving = 0.05, kWorthPart = 0.02;
// ... and the predicted miss below which weights are lowered, and the aim then: closer than this, cloth that
// is a few tolerances off without forces is held by half as much force again.
constexpr double kCloserThanNeeded = 0.85, kLastAim = 0.92;

// Runs that miss nothing but what is pursued and are no better than one before: after so many the pull at its
// far vertices, which grows with each, is no longer worth what it costs.
constexpr int kMaxNoBetter = 2;
// Iterates that may miss again, on a way to less effort, and come no nearer before the search is content with
// what it had; and where the last one costs less than this share of what met it.
constexpr int kMaxMissedAgain = 4, kMaxMissedForLess = 12;
constexpr double kMuchLess = 0.5;

// Of forces as they are, and all that changes of them cost.
double whole_cost_of(const ShootingIterate& at, const ShootingProblem& problem) {
  return problem.objective().plain_effort(at.z()) + at.terms().smoothness / at.goal().change_share;
}

}  // namespace

bool ToleranceWeights::all_met(const std::vector<KeyframeMiss>& misses, Wanted wanted) const {
  return std::all_of(targets_.begin(), targets_.end(), [&](const Target& target) {
    return miss_of(target, misses) <= 1.0 && farthest_of(target, misses, wanted) <= 1.0;
  });
}

double ToleranceWeights::merit(const ShootingIterate& at) const {
  const std::vector<KeyframeMiss> misses = at.misses();
  const auto count = static_cast<double>(targets_.size());
  int missed = 0;
  double far = 0.0, farthest = 0.0, excess = 0.0;
  for (const Target& target : targets_) {
    const double miss = std::max(miss_of(target, misses), farthest_of(target, misses, Wanted::kAsked));
    const double pursued = farthest_of(target, misses, wanted_);
    farthest += std::max(0.0, 1.0 - 1.0 / pursued);
    excess = std::max(excess, pursued - 1.0);
    if (miss <= 1.0) continue;
    ++missed;
    far += 1.0 - 1.0 / miss;
  }
  if (missed > 0) return missed + far / count;  // (E4)
  const double shows = peaks_ ? std::max(1.0, unevenness(problem_.layout(), at.z())) : 1.0;
  const double worth = 1.0 + (kWorthOfFarthest - 1.0) * std::min(1.0, excess / kFullyBeyond);
  const double beyond = farthest > 0.0 ? worth * (1.0 + farthest / count) : 1.0;
  const double cost = beyond * shows * whole_cost_of(at, problem_);
  return kMostWhereMet * cost / (1.0 + cost);
}

bool ToleranceWeights::remember_if_best(const ShootingIterate& at, double merit) {
  if (!(merit < best_met_.merit)) return false;
  best_met_ = {.merit = merit, .cost = whole_cost_of(at, problem_)};
  return true;
}

void ToleranceWeights::count_after_met(const std::vector<KeyframeMiss>& misses) {
  if (after_met_ == 0 && best_met_.merit < kMostWhereMet) after_met_ = 1;  // the start met it
  if (after_met_ > 0 || all_met(misses, Wanted::kAsked)) ++after_met_;
}

bool ToleranceWeights::pursues_in_vain(const ShootingIterate& at) {
  if (since_met_) return false;
  const double now = merit(at);
  if (remember_if_best(at, now) || best_met_.merit >= kMostWhereMet) return false;
  if (now < kMostWhereMet) return ++best_met_.no_better >= kMaxNoBetter;
  return best_met_.lost.is_one_too_many(now, may_miss_again(whole_cost_of(at, problem_), best_met_.cost));
}

int ToleranceWeights::may_miss_again(double cost, double before) {
  return cost < kMuchLess * before ? kMaxMissedForLess : kMaxMissedAgain;
}

bool ToleranceWeights::is_dear(const ShootingIterate& nearer, const ShootingIterate& at) const {
  const std::vector<KeyframeMiss> before = at.misses(), after = nearer.misses();
  double much_nearer = 1.0;
  for (const Target& target : targets_)
    much_nearer = std::max(much_nearer, miss_of(target, before) / std::max(miss_of(target, after), kAim));
  const double worth = kDear * std::pow(much_nearer, kPowerOfNearer), cost = whole_cost_of(at, problem_);
  return cost > 0.0 && whole_cost_of(nearer, problem_) > worth * cost;
}

bool ToleranceWeights::let_go(ShootingIterate& at, const std::vector<KeyframeMiss>& expected) {
  std::vector<double> factors = at.goal().weight_factors;
  bool any = false;
  for (Target& target : targets_) {
    const double p = miss_of(target, expected), factor = factors[target.keyframes.front()];
    const double farthest = farthest_of(target, expected, wanted_);
    if (std::max(p, farthest) > kCloserThanNeeded || target.course.is_lowered_in_vain(p)) continue;
    const double next = factor_for(target, {factor, p, p}, kLastAim);
    if (next >= factor) continue;
    target.course.lower(p);
    for (const std::size_t k : target.keyframes) factors[k] = next;
    any = true;
  }
  if (any) at.measure_by(with(at.goal(), std::move(factors)));
  return any;
}

Verdict ToleranceWeights::judge_saving(ShootingIterate& at, const Proposal& proposed,
                                       const std::vector<KeyframeMiss>& expected, double cost) {
  if (let_go(at, expected)) return Verdict::kChanged;
  // At the same misses forces would be less by as much as the goal falls: weights are multipliers. What is
  // promised of forces alone says little of a run whose misses have just grown, or of a step that was cut.
  const double promise = proposed.predicted_fall / at.objective();
  const bool creeps = proposed.recent_fall < kWorthSaving;
  const bool is_part = proposed.is_shortened || !proposed.is_whole;
  if (!creeps && promise > (is_part ? kWorthPart : kWorthSaving)) return Verdict::kNone;
  return creeps || cost > (1.0 - kWorthSaving) * met_cost_ ? Verdict::kDone : Verdict::kNone;
}

bool ToleranceWeights::is_enough(Point& point, const Proposal& proposed) {
  if (should_end()) return true;
  const std::vector<KeyframeMiss> expected =
      static_cast<ShootingIterate&>(point).predict(*proposed.image).misses;
  return std::all_of(targets_.begin(), targets_.end(), [&](const Target& target) {
    return miss_of(target, expected) <= kCloseEnough * kAim &&
           farthest_of(target, expected, Wanted::kAsked) <= 1.0;
  });
}

}  // namespace keydrape
