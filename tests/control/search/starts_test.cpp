// With which run a search begins.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "control/search/search.h"
#include "control/shooting/shooting_iterate.h"
#include "control/shooting/shooting_problem.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr int kCells = 6;

// A sheet that hangs from one edge has to be rolled up by half a turn and more, where guidance leaves folds.
Task rolled(double effort) {
  Task task;
  task.cloth = cloth_of(square(kCells, 0.4), cotton(), Vec3(0, -kStandardGravity, 0));
  const VecX rest = stacked(task.cloth.mesh.positions);
  std::vector<int> upper;
  for (int i = 0; i < task.cloth.mesh.vertex_count(); ++i) {
    task.cloth.mesh.positions[i].y() -= 0.4;
    if (task.cloth.mesh.positions[i].y() > -1e-9) upper.push_back(i);
  }
  task.start = {stacked(task.cloth.mesh.positions), VecX::Zero(rest.size())};
  task.cloth.pins = {held(task.start.x, upper)};
  task.grid = {.interval_count = 12, .intervals_per_second = 24.0, .substeps = 2};
  for (int i = 0; i < task.vertex_count(); ++i) task.pushing.vertices.push_back(i);
  Target target;
  target.keyframe.state = task.grid.step_count();
  target.keyframe.vertex_weight = VecX::Ones(task.vertex_count());
  target.keyframe.target = task.start.x;
  constexpr double kRadius = 0.1;
  for (int i = 0; i < task.vertex_count(); ++i) {
    const double angle = -task.start.x[3 * i + 1] / kRadius;
    target.keyframe.target[3 * i + 1] = -kRadius * std::sin(angle);
    target.keyframe.target[3 * i + 2] = kRadius * (1 - std::cos(angle));
  }
  target.tolerance = 0.01;
  task.targets = {target};
  task.effort.automatic = false;
  task.effort.value = effort;
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
