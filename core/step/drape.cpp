#include "core/step/drape.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "core/step/step_problem.h"

namespace keydrape {
namespace {

// Of tau [s]: the first round, and the shortest, below which one that does not end ends it all.
constexpr double kFirstRound = 0.02, kShortestRound = 1e-4;
// Of tau, after a round that ends, and after one that does not.
constexpr double kGrowth = 1.5, kShrinkage = 0.25;
// Loads that follow from where a round begins, as wind's, are those of the round before where hardly any
// inertia is left, and cloth may go round in circles that it does not go in time. Where so many of the
// longest rounds leave more than this share of the force, none is as long any more.
constexpr int kRoundsOfLongest = 8;
constexpr double kLeft = 0.5;
// Short rounds need not be exact: the next goes on from wherever they end. From kExactFrom on [s], where
// their inertia is so small that a step is nearly the drape, they are solved to a tenth of its tolerance.
constexpr double kLooseTolerance = 1e-3, kExactFrom = 1.0;
// A drape anew: rounds from kExactFrom on, so much longer each; so many at least, or the number would change
// with the cloth; and solved as nearly as rounding lets.
constexpr double kGrowthAnew = 5.0, kToleranceAnew = 1e-11;
constexpr int kRoundsAnew = 5;
// What has gone so many times its own size, and is in the longest rounds still, falls or slides for ever.
constexpr double kGone = 1000.0;

// |S (dE - M g)| over the cloth's weight: the residual of a round without its inertia.  (I5)
double force_left(const StepProblem& round, const VecX& from, const VecX& y) {
  const Model& model = round.model();
  VecX r;
  round.residual(y, r);
  r -= model.mass().cwiseProduct(y - from) / (round.beta() * round.beta());
  round.constraints().filter(r);
  return r.norm() / model.force_scale();
}

// One round from there at rest to where it ends.
struct Round {
  NewtonReport report;
  State end;              // at rest; of one that converged
  double residual = 0.0;  // as in DrapeResult, likewise
};

Round take_round(const Model& model, const CholeskySolver& cholesky, const State& from, double tau,
                 double time, double sliding_time, const NewtonOptions& newton, StepWorkspace& work) {
  const VecX none = VecX::Zero(from.x.size());
  const StepProblem problem(model, {from, nullptr, sliding_time}, tau, time, none, work);
  NewtonResult step = minimize_step(problem, cholesky, {}, newton);
  Round round{step.report, {}};
  if (!step.report.converged()) return round;
  round.residual = force_left(problem, from.x, step.y);
  ExemptionsPointer exempt = model.exemptions_after(from.exempt, step.y);
  round.end = {std::move(step.y), none, std::move(exempt)};
  return round;
}

// How long rounds may be.
class LongestRound {
 public:
  // `circles`: whether cloth may go round in circles.
  LongestRound(double tau, bool circles) : tau_(tau), circles_(circles) {}
  double tau() const { return tau_; }
  double exact_from() const { return std::min(kExactFrom, tau_); }
  // Of a round that has ended.
  void heed(double tau, double residual) {
    if (!circles_ || tau < tau_ || rounds_++ % kRoundsOfLongest != 0) return;
    const bool is_in_vain = residual > kLeft * std::exchange(residual_, residual);
    if (is_in_vain) *this = LongestRound(std::max(kShrinkage * tau_, kFirstRound), circles_);
  }

 private:
  double tau_;
  bool circles_;
  double residual_ = std::numeric_limits<double>::infinity();  // eight rounds ago
  int rounds_ = 0;                                             // of this length
};

// No force is known better than its rounding, which Newton stops at, too.
bool is_at_rest(const Round& round, const DrapeOptions& options) {
  return round.residual <= std::max(options.tolerance, round.report.rounding);
}

bool has_gone(const VecX& start, const VecX& x) {
  const auto rows = start.reshaped(3, start.size() / 3).rowwise();
  const double size = (rows.maxCoeff() - rows.minCoeff()).norm();
  return (x - start).reshaped(3, start.size() / 3).rowwise().mean().norm() > kGone * size;
}

void measure_move(const VecX& start, DrapeResult& result) {
  result.farthest = 0.0;
  for (Eigen::Index i = 0; i < start.size(); i += 3) {
    const double moved = (result.x - start).segment<3>(i).norm();
    if (moved <= result.farthest) continue;
    result.farthest = moved;
    result.farthest_vertex = static_cast<int>(i / 3);
  }
}

}  // namespace

double forces_at_rest(const Model& model, const State& state, const DrapeOptions& options) {
  StepWorkspace work;
  const VecX none = VecX::Zero(state.x.size());
  const StepProblem problem(model, {state, nullptr, options.sliding_time}, 1.0, options.time, none, work);
  return force_left(problem, state.x, state.x);
}

DrapeResult drape(const Model& model, const VecX& start, const DrapeOptions& options,
                  const std::function<bool(const DrapeResult&)>& observer) {
  assert(start.size() == 3 * static_cast<Eigen::Index>(model.vertex_count()) && options.sliding_time > 0.0);
  const CholeskySolver cholesky(model.pattern());
  const VecX no_force = VecX::Zero(start.size());
  StepWorkspace work;
  DrapeResult result;
  result.x = start;
  result.exempt = options.exempt;
  double tau = kFirstRound, last_tau = tau;  // of the last round that ended
  double failed_tau = 0.0;                   // .. that failed
  const bool loads_lag = model.depends_on_start_x();
  LongestRound longest(options.longest_round, loads_lag);
  bool goes_on = true;
  while (goes_on && !result.is_settled && result.rounds < options.max_rounds && tau >= kShortestRound) {
    NewtonOptions newton = options.newton;
    const bool is_long = tau >= longest.exact_from();
    newton.tolerance = is_long ? 0.1 * options.tolerance : kLooseTolerance;
    Round round = take_round(model, cholesky, {result.x, no_force, result.exempt}, tau, options.time,
                             options.sliding_time, newton, work);
    ++result.rounds;
    result.newton_iterations += round.report.iterations;
    if (round.report.converged()) {
      if (tau >= failed_tau) result.end = NewtonEnd::kMinimum;
      result.residual = round.residual;
      result.x = std::move(round.end.x);
      result.exempt = std::move(round.end.exempt);
      result.is_settled = is_long && is_at_rest(round, options);
      if (tau >= options.longest_round && has_gone(start, result.x)) break;
      longest.heed(tau, round.residual);
      last_tau = tau;
      tau = std::min(kGrowth * tau, longest.tau());
    } else {
      result.end = round.report.end;
      failed_tau = tau;
      tau *= kShrinkage;
    }
    if (observer) goes_on = observer(result);
  }
  result.longest_round = loads_lag ? std::min(last_tau, longest.tau()) : longest.tau();
  measure_move(start, result);
  return result;
}

DrapeRounds drape_again(const Model& model, const State& settled, const DrapeOptions& options) {
  assert(settled.x.size() == 3 * static_cast<Eigen::Index>(model.vertex_count()));
  const CholeskySolver cholesky(model.pattern());
  StepWorkspace work;
  NewtonOptions newton = options.newton;
  newton.tolerance = kToleranceAnew;
  DrapeRounds rounds{{{settled.x, VecX::Zero(settled.x.size()), settled.exempt}}, {}, options.sliding_time};
  const double exact_from = std::min(kExactFrom, options.longest_round);
  double tau = exact_from;
  for (int tried = 0; tried < options.max_rounds && tau >= kShortestRound; ++tried) {
    Round round =
        take_round(model, cholesky, rounds.states.back(), tau, 0.0, options.sliding_time, newton, work);
    if (!round.report.converged()) {
      tau *= kShrinkage;
      continue;
    }
    rounds.residual = round.residual;
    rounds.states.push_back(std::move(round.end));
    rounds.durations.push_back(tau);
    const bool is_long = tau >= exact_from && static_cast<int>(rounds.durations.size()) >= kRoundsAnew;
    rounds.is_settled = is_long && is_at_rest(round, options);
    if (rounds.is_settled) break;
    tau = std::min(kGrowthAnew * tau, options.longest_round);
  }
  return rounds;
}

}  // namespace keydrape
