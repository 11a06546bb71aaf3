// L-BFGS: the loop. Of LBFGS++ it takes the line search alone; pairs are ours (lbfgs_history.h).

#include <cassert>
#include <cmath>
#include <utility>

#include "control/optimize/lbfgs_history.h"
#include "control/optimize/lbfgs_line_search.h"

namespace keydrape {

namespace {

constexpr int kSmallFalls = 10;  // in a row: gradient descent zigzags, so that one says nothing

class Lbfgs {
 public:
  Lbfgs(const PointSource& evaluate, std::unique_ptr<Point> start, const OptimizerOptions& options,
        const IterationObserver& observer)
      : options_(options),
        observer_(observer),
        progress_(options.resume ? std::move(*options.resume) : OptimizerProgress{}),
        result_{start->z(), start->objective(),          0.0, progress_.iterations, progress_.evaluations,
                0,          OptimizerEnd::kMaxIterations},
        points_(evaluate, std::move(start), options, result_) {}

  OptimizerResult run() {
    if (!std::isfinite(result_.objective)) return finish(OptimizerEnd::kStartFailed);
    // A line goes on from the very z that the one before it ended at, of which the point's own may be a
    // projection, equal but for rounding.
    at_.z = progress_.variables.size() > 0 ? progress_.variables : result_.z;
    at_.gradient = points_.point().gradient();
    result_.gradient_norm = at_.gradient.norm();
    if (options_.resume) {
      keep_newest(progress_.pairs, options_.memory_pairs);
      result_.z = progress_.best_variables;
      result_.objective = progress_.best_objective;
      result_.gradient_norm = progress_.best_gradient_norm;
    } else {
      progress_.first_gradient_norm = result_.gradient_norm;
      if (!(report(0.0) && keep())) return finish(OptimizerEnd::kStopped);
    }
    if (!at_.gradient.allFinite()) return finish(OptimizerEnd::kNoGradient);
    if (result_.iterations == 0 && is_flat(points_.point())) return finish(OptimizerEnd::kFlat);
    while (!progress_.end) {
      if (at_.gradient.norm() <= options_.gradient_tolerance * progress_.first_gradient_norm)
        return finish(OptimizerEnd::kGradient);
      if (result_.iterations >= options_.max_iterations) return finish(OptimizerEnd::kMaxIterations);
      const double objective = points_.point().objective();
      const SearchedPoint before = at_;
      double* const step = is_descent() ? &progress_.step : nullptr;
      if (const auto end = search_line(points_, progress_.pairs, before, at_, step)) return finish(*end);
      ++result_.iterations;
      if (!is_descent())
        remember(progress_.pairs, {at_.z - before.z, at_.gradient - before.gradient}, options_.memory_pairs);
      if (!report((at_.z - before.z).norm())) return finish(OptimizerEnd::kStopped);
      const bool is_small =
          objective - points_.point().objective() < options_.objective_tolerance * objective;
      progress_.small_falls = is_small ? progress_.small_falls + 1 : 0;
      // As long as the pairs tell of stiff directions alone, no step gets far.
      if (progress_.small_falls >= (is_descent() ? kSmallFalls : options_.memory_pairs))
        progress_.end = OptimizerEnd::kObjective;
      if (!keep()) return finish(OptimizerEnd::kStopped);
    }
    return finish(*progress_.end);
  }

 private:
  bool is_descent() const { return options_.memory_pairs == 0; }

  bool report(double step_length) {
    return observer_({result_.iterations, points_.point().objective(), at_.gradient.norm(), step_length,
                      result_.evaluations, 0, points_.point()});
  }

  bool keep() {
    if (!options_.keep_progress) return true;
    progress_.iterations = result_.iterations;
    progress_.evaluations = result_.evaluations;
    progress_.variables = at_.z;
    progress_.best_variables = result_.z;
    progress_.best_objective = result_.objective;
    progress_.best_gradient_norm = result_.gradient_norm;
    return options_.keep_progress(progress_, points_.point());
  }

  OptimizerResult finish(OptimizerEnd end) {
    result_.end = end;
    return std::move(result_);
  }

  const OptimizerOptions& options_;
  const IterationObserver& observer_;
  OptimizerProgress progress_;
  OptimizerResult result_;  // z, objective and gradient_norm: of the best point met
  ObservedPoints points_;
  SearchedPoint at_;  // the accepted point
};

}  // namespace

OptimizerResult minimize_lbfgs(const PointSource& evaluate, std::unique_ptr<Point> start,
                               const OptimizerOptions& options, const IterationObserver& observer) {
  assert(start && options.max_evaluations > 0 && options.memory_pairs >= 0);
  return Lbfgs(evaluate, std::move(start), options, observer).run();
}

}  // namespace keydrape
