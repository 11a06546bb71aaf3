#include <LBFGS.h>

#include <cassert>
#include <cmath>
#include <stdexcept>

#include "control/optimize/optimizer.h"

namespace keydrape {

namespace {

// What LBFGS++ sees of a problem. Keeps the best point, counts, and leaves the library by exception when a bound is
// reached: the library itself has neither callback nor counter.
class Observed {
 public:
  struct Left {
    OptimizerEnd end;
  };

  Observed(const PointSource& evaluate, std::unique_ptr<Point> start, const OptimizerOptions& options,
           const IterationObserver& observer, OptimizerResult& result)
      : evaluate_(evaluate),
        options_(options),
        observer_(observer),
        result_(result),
        iterate_(std::move(start)),
        accepted_objective_(result.objective) {}

  void begin() { report(0.0); }

  double operator()(const VecX& z, VecX& gradient) {
    if (iterate_ && z == iterate_->z()) {  // the start
      gradient = iterate_->gradient();
      return iterate_->objective();
    }
    if (result_.evaluations >= options_.max_evaluations) throw Left{OptimizerEnd::kMaxEvaluations};
    iterate_.reset();  // before the next one: two of them may not fit into memory
    iterate_ = evaluate_(z);
    ++result_.evaluations;
    const double objective = iterate_->objective();
    if (!std::isfinite(objective)) {
      // A failed simulation: finite and large, so that the line search shortens its step (NaN would be swallowed).
      gradient.setZero(z.size());
      return kRejected * (1.0 + std::abs(result_.objective));
    }
    gradient = iterate_->gradient();
    if (objective < result_.objective) {
      result_.z = z;
      result_.objective = objective;
      result_.gradient_norm = gradient.norm();
    }
    return objective;
  }

  // The line search has accepted the last point that was evaluated.
  void accept(double step_length) {
    ++result_.iterations;
    report(step_length);
    const double fall = accepted_objective_ - iterate_->objective();
    if (fall < options_.objective_tolerance * accepted_objective_) throw Left{OptimizerEnd::kObjective};
    accepted_objective_ = iterate_->objective();
  }

 private:
  static constexpr double kRejected = 1e3;

  void report(double step_length) {
    if (!observer_({result_.iterations, iterate_->objective(), iterate_->gradient().norm(), step_length,
                    result_.evaluations, 0, *iterate_}))
      throw Left{OptimizerEnd::kStopped};
  }

  const PointSource& evaluate_;
  const OptimizerOptions& options_;
  const IterationObserver& observer_;
  OptimizerResult& result_;
  std::unique_ptr<Point> iterate_;
  double accepted_objective_;
};

// A stock line search that reports what it accepts. Backtracking recovers from failed evaluations, which the
// Nocedal-Wright search of LBFGS++ 0.1.0 does not.
template <class Scalar>
struct ReportingLineSearch {
  template <class Foo>
  static void LineSearch(Foo& f, Scalar& fx, VecX& x, VecX& grad, Scalar& step, const VecX& drt, const VecX& xp,
                         const LBFGSpp::LBFGSParam<Scalar>& param) {
    LBFGSpp::LineSearchBacktracking<Scalar>::LineSearch(f, fx, x, grad, step, drt, xp, param);
    f.accept((x - xp).norm());
  }
};

}  // namespace

OptimizerResult minimize_lbfgs(OptimizationProblem& problem, std::unique_ptr<Point> start,
                               const OptimizerOptions& options, const IterationObserver& observer) {
  return minimize_lbfgs([&](const VecX& z) { return problem.evaluate(z); }, std::move(start), options, observer);
}

OptimizerResult minimize_lbfgs(const PointSource& evaluate, std::unique_ptr<Point> start,
                               const OptimizerOptions& options, const IterationObserver& observer) {
  assert(start && options.max_evaluations > 0);
  OptimizerResult result{start->z(), start->objective(), 0.0, 0, 1, 0, OptimizerEnd::kMaxIterations};
  if (!std::isfinite(result.objective)) {
    result.end = OptimizerEnd::kStartFailed;
    return result;
  }
  result.gradient_norm = start->gradient().norm();
  LBFGSpp::LBFGSParam<double> param;
  param.m = options.memory_pairs;
  param.linesearch = LBFGSpp::LBFGS_LINESEARCH_BACKTRACKING_STRONG_WOLFE;
  param.max_iterations = options.max_iterations;
  param.max_linesearch = 30;
  // Our own tests are relative; the library's are relative to |z| and to max(f, 1), which is no scale here.
  param.past = 0;
  param.epsilon_rel = 0.0;
  param.epsilon = options.gradient_tolerance * std::max(result.gradient_norm, 1e-300);
  VecX z = start->z();
  Observed observed(evaluate, std::move(start), options, observer, result);
  try {
    observed.begin();
    LBFGSpp::LBFGSSolver<double, ReportingLineSearch> solver(param);
    double objective = 0.0;
    solver.minimize(observed, z, objective);
    result.end = result.gradient_norm <= param.epsilon ? OptimizerEnd::kGradient : OptimizerEnd::kMaxIterations;
  } catch (const Observed::Left& left) {
    result.end = left.end;
  } catch (const std::runtime_error&) {  // the line search gave up: its last trial is not the best point, ours is
    result.end = OptimizerEnd::kNoDescent;
  } catch (const std::logic_error&) {    // it was handed a direction of ascent
    result.end = OptimizerEnd::kNoDescent;
  }
  return result;
}

}  // namespace keydrape
