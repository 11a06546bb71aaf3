#pragma once

#include <memory>
#include <optional>

#include "control/optimize/progress.h"

namespace keydrape {

// The points of a search by L-BFGS, as the line search of LBFGS++ evaluates them. Keeps the best one, counts,
// and leaves the library by exception when the budget is spent: the library itself has no counter.
class ObservedPoints {
 public:
  struct BudgetSpent {};

  // `result`: kept up to date, the best point and the evaluations. The references outlive this.
  ObservedPoints(const PointSource& evaluate, std::unique_ptr<Point> start, const OptimizerOptions& options,
                 OptimizerResult& result)
      : evaluate_(evaluate), options_(options), result_(result), point_(std::move(start)) {}

  Point& point() { return *point_; }  // the last one that was evaluated

  // The objective at z, and its gradient. Where there is none, a large one and zero. Throws BudgetSpent.
  double operator()(const VecX& z, VecX& gradient);

 private:
  const PointSource& evaluate_;
  const OptimizerOptions& options_;
  OptimizerResult& result_;
  std::unique_ptr<Point> point_;
};

// The point that a search is at; that which `points` evaluated last.
struct SearchedPoint {
  VecX z, gradient;
};

// Moves a point, which is at `from`, along the direction of L-BFGS (lbfgs_history.h) to where the strong
// Wolfe conditions hold. Why it did not get there, if so: the point is then none to go on from. `descent`:
// the last step of gradient descent, over the gradient, 0 if there was none, which becomes this one: Armijo's
// condition will do then; null: L-BFGS.
std::optional<OptimizerEnd> search_line(ObservedPoints& points, const std::vector<CorrectionPair>& pairs,
                                        const SearchedPoint& from, SearchedPoint& at,
                                        double* descent = nullptr);

}  // namespace keydrape
