#include "control/search/descent.h"

#include <algorithm>
#include <utility>

#include "control/optimize/bounded.h"
#include "control/shooting/shooting_iterate.h"
#include "control/steering/led_poses.h"

namespace keydrape {
namespace {

// Tolerances of a hundredth of the first miss need a model that is minimised further than a fixed effort's
// (OptimizerOptions::cg_model_tolerance): weights would rise to make up for it.
constexpr double kToleranceModel = 0.02;
// A stage of L-BFGS that is followed by another goal's need not come to rest: with 1e-3 the stages took twice
// as many runs to the same misses.
constexpr double kStageTolerance = 1e-2;

bool has_failed(OptimizerEnd end) {
  return end == OptimizerEnd::kStopped || end == OptimizerEnd::kStartFailed || end == OptimizerEnd::kFlat ||
         end == OptimizerEnd::kNoGradient;
}

}  // namespace

OptimizerEnd Descent::run(std::unique_ptr<ShootingIterate> at, OptimizerProgress* resume) {
  if (context_.options.method == SearchMethod::kGaussNewton) return by_gauss_newton(std::move(at), resume);
  const OptimizerEnd end = by_lbfgs(std::move(at), resume);
  was_cut_off_ = end == OptimizerEnd::kMaxEvaluations;
  return end;
}

OptimizerOptions Descent::options(OptimizerProgress* resume) {
  OptimizerOptions options;
  options.resume = resume;
  options.model_vectors = context_.memory.model_vectors;
  options.models_boundary = any_wants_a_part(problem_.objective().first_goal()->keyframes, problem_.layout());
  if (context_.memory.memory_pairs > 0) options.memory_pairs = context_.memory.memory_pairs;
  if (context_.options.method == SearchMethod::kDescent) options.memory_pairs = 0;
  const int evaluations_before = resume ? resume->evaluations : 1;
  options.max_evaluations = std::max(1, budget_ - problem_.work().forward_simulations + evaluations_before);
  options.keep_progress = [this](const OptimizerProgress& progress, const Point& at) {
    ledger_.checkpoint(static_cast<const ShootingIterate&>(at), progress);
    return true;
  };
  return options;
}

IterationObserver Descent::observer() {
  return [this](const IterationRecord& record) {
    ledger_.record(record);
    return true;
  };
}

OptimizerEnd Descent::by_gauss_newton(std::unique_ptr<ShootingIterate> at, OptimizerProgress* resume) {
  OptimizerOptions options = this->options(resume);
  if (goal_.tolerances()) {
    options.cg_loose_model_tolerance = options.cg_model_tolerance;
    options.cg_model_tolerance = kToleranceModel;
  }
  options.policy = goal_.policy();
  const IterationObserver observer = this->observer();
  const OptimizerResult result = problem_.bounds() ? minimize_projected_gauss_newton(
                                                         std::move(at), *problem_.bounds(), options, observer)
                                                   : minimize_gauss_newton(std::move(at), options, observer);
  was_cut_off_ = result.was_cut_off;
  return result.end;
}

OptimizerResult Descent::lbfgs_stage(std::unique_ptr<ShootingIterate> at, OptimizerProgress* resume) {
  OptimizerOptions options = this->options(resume);
  if (goal_.may_change()) options.objective_tolerance = kStageTolerance;
  // The best point is simulated once more afterwards.
  options.max_evaluations = std::max(1, options.max_evaluations - 1);
  const PointSource evaluate = [&problem = problem_, goal = at->shared_goal()](const VecX& z) {
    return std::make_unique<ShootingIterate>(problem, z, goal);
  };
  const IterationObserver observer = this->observer();
  return problem_.bounds()
             ? minimize_bounded_lbfgs(evaluate, std::move(at), *problem_.bounds(), options, observer)
             : minimize_lbfgs(evaluate, std::move(at), options, observer);
}

// What becomes of the goal where a stage has come to rest.
Verdict Descent::judge_at_rest(ShootingIterate& at) {
  const bool is_adapted = goal_.adaptation() && goal_.adaptation()->adapt_goal_of(at);
  const Verdict verdict = goal_.tolerances() ? goal_.tolerances()->after_rest(at) : Verdict::kNone;
  return verdict == Verdict::kNone && is_adapted ? Verdict::kChanged : verdict;
}

// With a goal that changes, in stages, each with one of its own: pairs of gradients from two objectives make
// no curvature. Every stage spends at least one of the runs, so that the budget bounds them.
OptimizerEnd Descent::by_lbfgs(std::unique_ptr<ShootingIterate> at, OptimizerProgress* resume) {
  OptimizerEnd end = OptimizerEnd::kMaxEvaluations;
  do {
    const GoalPointer goal = at->shared_goal();
    const OptimizerResult optimum = lbfgs_stage(std::move(at), std::exchange(resume, nullptr));
    ledger_.begin_stage();
    end = optimum.end;
    // The starts of a search that is cut short may have spent them all.
    if (has_failed(end) || problem_.work().forward_simulations >= budget_) return end;
    at = std::make_unique<ShootingIterate>(problem_, optimum.z, goal);
    // The best point may have been met in a line search that the budget cut off.
    if (ledger_.best() && ledger_.is_better(*at))
      ledger_.keep(*at, RunRecord::kInNone, optimum.gradient_norm);
    if (!goal_.may_change() || end == OptimizerEnd::kMaxEvaluations) return end;
    const Verdict verdict = judge_at_rest(*at);
    if (verdict == Verdict::kDone) return OptimizerEnd::kDone;
    if (verdict != Verdict::kChanged && verdict != Verdict::kRenewed) return end;
  } while (problem_.work().forward_simulations < budget_);
  return OptimizerEnd::kMaxEvaluations;
}

}  // namespace keydrape
