#include "tests/bench/search_curve.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "control/shooting/shooting_iterate.h"

namespace keydrape::bench {
namespace {

double peak_acceleration(const ControlLayout& layout, const VecX& z) {
  double peak = 0.0;
  for (int block = 0; block < layout.block_count(); ++block)
    for (int k = 0; k < layout.active_count(); ++k)
      peak = std::max(peak, layout.acceleration(z, block, k).norm());
  return peak;
}

}  // namespace

SearchPoint measure(const Shot& shot, const ShootingIterate& iterate) {
  SearchPoint point{};
  point.objective = iterate.objective();
  point.peak_g = peak_acceleration(shot.layout(), iterate.z());
  if (!iterate.is_complete()) return point;
  for (const KeyframeMiss& miss : iterate.misses())
    point.miss_percent.push_back(100.0 * miss.rms / shot.objective().options().length);
  return point;
}

SearchCurve search_curve(const Shot& shot, scene::ControlMethod method, SearchStart start,
                         int max_forward_simulations, size_t memory_budget_bytes) {
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  ShootingProblem problem(shot.simulator(), shot.start(), shot.layout(), shot.objective(),
                          memory_budget_bytes);
  std::unique_ptr<Iterate> first;
  if (start == SearchStart::kGuided)
    first = problem.evaluate_guided(shot.objective().first_goal());
  else
    first = problem.evaluate(VecX::Zero(problem.size()));
  OptimizerOptions options;
  options.max_evaluations = max_forward_simulations;
  SearchCurve curve{};
  const auto observer = [&](const IterationRecord& record) {
    SearchPoint point = measure(shot, static_cast<const ShootingIterate&>(record.iterate));
    point.forward_simulations = record.evaluations;
    point.seconds = elapsed();
    curve.points.push_back(std::move(point));
    return true;
  };
  const PointSource evaluate = [&](const VecX& z) { return problem.evaluate(z); };
  OptimizerResult result = method == scene::ControlMethod::kLbfgs
                               ? minimize_lbfgs(evaluate, std::move(first), options, observer)
                               : minimize_gauss_newton(std::move(first), options, observer);
  curve.z = std::move(result.z);
  curve.objective = result.objective;
  curve.seconds = elapsed();
  curve.work = problem.work();
  return curve;
}

const SearchPoint* point_after(const SearchCurve& curve, int forward_simulations) {
  const auto next = std::find_if(curve.points.begin(), curve.points.end(), [&](const SearchPoint& point) {
    return point.forward_simulations > forward_simulations;
  });
  return next == curve.points.begin() ? nullptr : &*(next - 1);
}

}  // namespace keydrape::bench
