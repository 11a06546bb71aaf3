#include <LBFGS.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <stdexcept>

#include "control/optimize/progress.h"

namespace keydrape {

namespace {

// What the line search of LBFGS++ sees of a problem. Keeps the best point, counts, and leaves the library by
// exception when the budget is spent: the library itself has no counter.
class Observed {
 public:
  struct BudgetSpent {};

  Observed(const PointSource& evaluate, std::unique_ptr<Point> start, const OptimizerOptions& options,
           OptimizerResult& result)
      : evaluate_(evaluate), options_(options), result_(result), point_(std::move(start)) {}

  Point& point() { return *point_; }  // the last one that was evaluated

  double operator()(const VecX& z, VecX& gradient) {
    if (result_.evaluations >= options_.max_evaluations) throw BudgetSpent{};
    point_.reset();  // before the next one: two of them may not fit into memory
    point_ = evaluate_(z);
    ++result_.evaluations;
    const double objective = point_->objective();
    if (std::isfinite(objective)) gradient = point_->gradient();
    if (!std::isfinite(objective) || !gradient.allFinite()) {
      // A failed simulation, or one without derivatives: finite and large, so that the line search
      // shortens its step (NaN would be swallowed).
      gradient.setZero(z.size());
      return kRejected * (1.0 + std::abs(result_.objective));
    }
    if (objective < result_.objective) {
      result_.z = z;
      result_.objective = objective;
      result_.gradient_norm = gradient.norm();
    }
    return objective;
  }

 private:
  // Over the best objective. A search by halves asks only whether a trial is above the line of sufficient
  // decrease, not by how much.
  static constexpr double kRejected = 1e3;

  const PointSource& evaluate_;
  const OptimizerOptions& options_;
  OptimizerResult& result_;
  std::unique_ptr<Point> point_;
};

LBFGSpp::LBFGSParam<double> line_search_parameters() {
  LBFGSpp::LBFGSParam<double> param;
  param.linesearch = LBFGSpp::LBFGS_LINESEARCH_BACKTRACKING_STRONG_WOLFE;
  param.max_linesearch = 30;  // halvings: 1e-9 of a step is no step
  return param;
}

// -H gradient by the two loops (Nocedal & Wright 2006, algorithm 7.4). LBFGS++ has them too, but shows nobody
// its pairs, without which no search can go on where it was.
VecX direction(const std::vector<CorrectionPair>& pairs, const VecX& gradient) {
  VecX d = -gradient;
  if (pairs.empty()) return d;
  std::vector<double> alpha(pairs.size());
  for (size_t k = pairs.size(); k-- > 0;) {
    alpha[k] = pairs[k].s.dot(d) / pairs[k].s.dot(pairs[k].y);
    d -= alpha[k] * pairs[k].y;
  }
  const CorrectionPair& last = pairs.back();
  d *= last.s.dot(last.y) / last.y.squaredNorm();
  for (size_t k = 0; k < pairs.size(); ++k)
    d += (alpha[k] - pairs[k].y.dot(d) / pairs[k].s.dot(pairs[k].y)) * pairs[k].s;
  return d;
}

// How far to try at first along -gradient, in units of it. Of the parabolas with this objective and slope,
// those that stay above 0, as sums of squares do, have their lowest points no farther than at 2 J/|gradient|.
// And no farther than 1, the order of the unknowns.
double first_step(double objective, const VecX& gradient) {
  assert(objective > 0.0);
  const double norm = gradient.norm();
  return std::min(2.0 * objective / norm, 1.0) / norm;
}

class Lbfgs {
 public:
  Lbfgs(const PointSource& evaluate, std::unique_ptr<Point> start, const OptimizerOptions& options,
        const IterationObserver& observer)
      : options_(options),
        observer_(observer),
        progress_(options.resume ? *options.resume : OptimizerProgress{}),
        result_{start->z(), start->objective(),          0.0, progress_.iterations, progress_.evaluations,
                0,          OptimizerEnd::kMaxIterations},
        observed_(evaluate, std::move(start), options, result_) {}

  OptimizerResult run() {
    if (!std::isfinite(result_.objective)) return finish(OptimizerEnd::kStartFailed);
    z_ = result_.z;
    gradient_ = observed_.point().gradient();
    result_.gradient_norm = gradient_.norm();
    if (options_.resume) {
      result_.z = progress_.best_variables;
      result_.objective = progress_.best_objective;
      result_.gradient_norm = progress_.best_gradient_norm;
    } else {
      progress_.first_gradient_norm = result_.gradient_norm;
      if (!(report(0.0) && keep())) return finish(OptimizerEnd::kStopped);
    }
    if (!gradient_.allFinite()) return finish(OptimizerEnd::kNoGradient);
    if (result_.iterations == 0 && is_flat(gradient_.norm(), result_.objective))
      return finish(OptimizerEnd::kFlat);
    while (!progress_.end) {
      if (gradient_.norm() <= options_.gradient_tolerance * std::max(progress_.first_gradient_norm, 1e-300))
        return finish(OptimizerEnd::kGradient);
      if (result_.iterations >= options_.max_iterations) return finish(OptimizerEnd::kMaxIterations);
      const double objective = observed_.point().objective();
      const VecX z_before = z_, gradient_before = gradient_;
      if (const auto end = search_line(z_before)) return finish(*end);
      ++result_.iterations;
      remember({z_ - z_before, gradient_ - gradient_before});
      if (!report((z_ - z_before).norm())) return finish(OptimizerEnd::kStopped);
      const bool is_small =
          objective - observed_.point().objective() < options_.objective_tolerance * objective;
      progress_.small_falls = is_small ? progress_.small_falls + 1 : 0;
      // As long as the pairs tell of stiff directions alone, no step gets far.
      if (progress_.small_falls >= options_.memory_pairs) progress_.end = OptimizerEnd::kObjective;
      if (!keep()) return finish(OptimizerEnd::kStopped);
    }
    return finish(*progress_.end);
  }

 private:
  // A stock line search. Backtracking recovers from failed evaluations, which the Nocedal-Wright search of
  // LBFGS++ 0.1.0 does not. Why it did not succeed, if so.
  std::optional<OptimizerEnd> search_line(const VecX& from) {
    static const LBFGSpp::LBFGSParam<double> kParameters = line_search_parameters();
    const VecX d = direction(progress_.pairs, gradient_);
    double objective = observed_.point().objective();
    double step = progress_.pairs.empty() ? first_step(objective, gradient_) : 1.0;
    try {
      LBFGSpp::LineSearchBacktracking<double>::LineSearch(observed_, objective, z_, gradient_, step, d, from,
                                                          kParameters);
    } catch (const Observed::BudgetSpent&) {
      return OptimizerEnd::kMaxEvaluations;
    } catch (const std::runtime_error&) {  // it gave up: its last trial is not the best point, ours is
      return OptimizerEnd::kNoDescent;
    } catch (const std::logic_error&) {  // it was handed a direction of ascent
      return OptimizerEnd::kNoDescent;
    }
    return std::nullopt;
  }

  void remember(CorrectionPair pair) {
    std::vector<CorrectionPair>& pairs = progress_.pairs;
    if (static_cast<int>(pairs.size()) == options_.memory_pairs) pairs.erase(pairs.begin());
    pairs.push_back(std::move(pair));
  }

  bool report(double step_length) {
    return observer_({result_.iterations, observed_.point().objective(), gradient_.norm(), step_length,
                      result_.evaluations, 0, observed_.point()});
  }

  bool keep() {
    if (!options_.keep_progress) return true;
    progress_.iterations = result_.iterations;
    progress_.evaluations = result_.evaluations;
    progress_.variables = z_;
    progress_.best_variables = result_.z;
    progress_.best_objective = result_.objective;
    progress_.best_gradient_norm = result_.gradient_norm;
    return options_.keep_progress(progress_, observed_.point());
  }

  OptimizerResult finish(OptimizerEnd end) {
    result_.end = end;
    return std::move(result_);
  }

  const OptimizerOptions& options_;
  const IterationObserver& observer_;
  OptimizerProgress progress_;
  OptimizerResult result_;  // z, objective and gradient_norm: of the best point met
  Observed observed_;
  VecX z_, gradient_;  // the accepted point
};

}  // namespace

OptimizerResult minimize_lbfgs(const PointSource& evaluate, std::unique_ptr<Point> start,
                               const OptimizerOptions& options, const IterationObserver& observer) {
  assert(start && options.max_evaluations > 0 && options.memory_pairs > 0);
  return Lbfgs(evaluate, std::move(start), options, observer).run();
}

}  // namespace keydrape
