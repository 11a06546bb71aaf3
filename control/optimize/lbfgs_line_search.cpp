#include "control/optimize/lbfgs_line_search.h"

#include <LBFGS.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <exception>
#include <stdexcept>

#include "control/optimize/lbfgs_history.h"

namespace keydrape {

namespace {

// Over the best objective, what stands for one that could not be evaluated. A search by halves asks only
// whether a trial is above the line of sufficient decrease, not by how much.
constexpr double kRejected = 1e3;

// A stock line search. Backtracking recovers from failed evaluations, which the Nocedal-Wright search of
// LBFGS++ 0.1.0 does not.
LBFGSpp::LBFGSParam<double> line_search_parameters(LBFGSpp::LINE_SEARCH_TERMINATION_CONDITION condition) {
  LBFGSpp::LBFGSParam<double> param;
  param.linesearch = condition;
  param.max_linesearch = 30;  // halvings: 1e-9 of a step is no step
  return param;
}

// How far to try at first along -gradient, in units of it. Of the parabolas with this objective and slope,
// those that stay above 0, as sums of squares do, have their lowest points no farther than at 2 J/|gradient|.
// And no farther than 1, the order of the unknowns.
double first_step(double objective, const VecX& gradient) {
  assert(objective > 0.0);
  const double norm = gradient.norm();
  return std::min(2.0 * objective / norm, 1.0) / norm;
}

// What an evaluation threw, on its way through a line search whose own errors are exceptions too.
struct Thrown {
  std::exception_ptr error;
};

}  // namespace

double ObservedPoints::operator()(const VecX& z, VecX& gradient) {
  if (result_.evaluations >= options_.max_evaluations) throw BudgetSpent{};
  point_.reset();  // before the next one: two of them may not fit into memory
  point_ = evaluate_(z);
  ++result_.evaluations;
  const double objective = point_->objective();
  if (std::isfinite(objective)) gradient = point_->gradient();
  if (!std::isfinite(objective) || !gradient.allFinite()) {
    // A failed simulation, or one without derivatives: finite and large, so that the line search shortens its
    // step (NaN would be swallowed).
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

std::optional<OptimizerEnd> search_line(ObservedPoints& points, const std::vector<CorrectionPair>& pairs,
                                        const SearchedPoint& from, SearchedPoint& at, double* descent) {
  static const LBFGSpp::LBFGSParam<double> kWolfe = line_search_parameters(
                                               LBFGSpp::LBFGS_LINESEARCH_BACKTRACKING_STRONG_WOLFE),
                                           kArmijo = line_search_parameters(
                                               LBFGSpp::LBFGS_LINESEARCH_BACKTRACKING_ARMIJO);
  const VecX d = lbfgs_direction(pairs, from.gradient);
  double objective = points.point().objective();
  double step = pairs.empty() ? first_step(objective, from.gradient) : 1.0;
  if (descent && *descent > 0.0) step = 2.0 * *descent;
  const auto evaluate = [&points](const VecX& z, VecX& gradient) {
    try {
      return points(z, gradient);
    } catch (const std::exception&) {
      throw Thrown{std::current_exception()};
    }
  };
  try {
    LBFGSpp::LineSearchBacktracking<double>::LineSearch(evaluate, objective, at.z, at.gradient, step, d,
                                                        from.z, descent ? kArmijo : kWolfe);
    if (descent) *descent = step;
  } catch (const ObservedPoints::BudgetSpent&) {
    return OptimizerEnd::kMaxEvaluations;
  } catch (const Thrown& thrown) {
    std::rethrow_exception(thrown.error);
  } catch (const std::runtime_error&) {  // it gave up: its last trial is not the best point, ours is
    return OptimizerEnd::kNoDescent;
  } catch (const std::logic_error&) {  // it was handed a direction of ascent
    return OptimizerEnd::kNoDescent;
  }
  return std::nullopt;
}

}  // namespace keydrape
