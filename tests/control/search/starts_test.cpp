// With which run a search begins.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "control/search/search.h"
#include "control/shooting/shooting_iterate.h"
#include "control/shooting/shooting_problem.h"
#include "tests/support/hung_task.h"

namespace keydrape {
namespace {

using namespace test;

// A sheet that hangs from one edge has to be rolled up by half a turn and more, where guidance leaves folds.
Task rolled(double effort) {
  constexpr double kRadius = 0.1;
  Task task = hung_task(6, 12);
  VecX& x = task.targets[0].keyframe.target;
  for (Eigen::Index i = 0; i < x.size(); i += 3) {
    const double angle = -task.start.x[i + 1] / kRadius;
    x[i + 1] = -kRadius * std::sin(angle);
    x[i + 2] = kRadius * (1 - std::cos(angle));
  }
  task.targets[0].tolerance = 0.01;
  task.effort = {.automatic = false, .value = effort};
  return task;
}

class Objectives final : public SearchObserver {
 public:
  void on_iteration(const SearchIteration& iteration) override { all.push_back(iteration.objective); }
  std::vector<double> all;
};

// Whatever the effort: with a number as with tolerances, the start from behind is tried.
TEST(SearchStarts, ANumberAsEffortBeginsWithTheBetterOfBothSteeredRuns) {
  const PreparedTask prepared = prepare(rolled(1e-5));
  ShootingProblem problem(*prepared.simulator, prepared.start(), *prepared.layout, *prepared.objective, 1e9,
                          prepared.shooting_options());
  const ShootingIterate free(problem, VecX::Zero(problem.size()));
  const auto guided = problem.evaluate_guided(free.shared_goal());
  const auto retrograde = problem.evaluate_retrograde(*guided, {0.008});
  ASSERT_TRUE(guided->is_complete() && retrograde && retrograde->is_complete());
  std::printf("J: free %.3g, guided %.3g, from behind %.3g\n", free.objective(), guided->objective(),
              retrograde->objective());
  ASSERT_LT(retrograde->objective(), 0.5 * guided->objective()) << "else this tests nothing";
  Objectives objectives;
  SearchOptions options;
  options.max_forward_runs = 3;
  search(prepared, options, objectives);
  ASSERT_GE(objectives.all.size(), 2u);
  EXPECT_EQ(objectives.all[0], free.objective());
  EXPECT_EQ(objectives.all[1], retrograde->objective());
}

}  // namespace
}  // namespace keydrape
