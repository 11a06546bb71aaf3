// What is said to hold back cloth that misses.

#include "control/search/obstacles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "control/shooting/shooting_iterate.h"
#include "control/shooting/shooting_problem.h"
#include "tests/support/hung_task.h"

namespace keydrape {
namespace {

using namespace test;

// Of a sheet that is to swing out, after runs that missed by so much [m] and used up the budget, with so many
// of the forces as large as they may be.
Obstacle obstacle_after(const std::vector<std::pair<int, double>>& misses, double share_at_bound = 0.0,
                        Task task = hung_task(4, 6)) {
  VecX& x = task.targets[0].keyframe.target;
  for (Eigen::Index i = 0; i < x.size(); i += 3) {
    const double below = -x[i + 1];
    x[i + 1] = -below * std::cos(0.3);
    x[i + 2] = below * std::sin(0.3);
  }
  task.targets[0].tolerance = 0.002;
  task.effort.automatic = true;
  if (share_at_bound > 0.0) task.pushing.max_acceleration = 0.1;
  const PreparedTask prepared = prepare(task);
  ShootingProblem problem(*prepared.simulator, prepared.start(), *prepared.layout, *prepared.objective, 1e9,
                          prepared.shooting_options());
  VecX z = VecX::Zero(problem.size());
  if (prepared.bounds)
    for (int k = 0; k < share_at_bound * prepared.bounds->count(); ++k) z[3 * k] = prepared.bounds->radius(k);
  const ShootingIterate run(problem, z);
  SearchResult result;
  result.best = SearchPoint{run.z(), run.trajectory(), run.misses(), {}};
  result.summary.end = SearchEnd::kForwardRuns;
  result.summary.is_out_of_budget = true;
  for (const auto& [runs, miss] : misses)
    result.summary.closest.take_in({{miss, 2.0 * miss, 0.0, task.grid.step_count()}}, runs);
  const std::vector<Obstacle> obstacles = find_obstacles(prepared, {}, result);
  EXPECT_EQ(obstacles.size(), 1u);
  return obstacles.at(0);
}

// However few runs it was since the last mark.
TEST(Obstacles, MoreRunsAreWantedWhereMissesStillFall) {
  const Obstacle falling =
      obstacle_after({{1, 0.1}, {5, 0.04}, {6, 0.034}, {7, 0.029}, {8, 0.025}, {9, 0.021}, {10, 0.02}});
  EXPECT_EQ(falling.kind, ObstacleKind::kForwardRuns);
}

// Behind starts that took most of the runs.
TEST(Obstacles, MoreRunsAreWantedWhereASearchHadFewForItself) {
  const Obstacle falling =
      obstacle_after({{1, 0.1}, {8, 0.02}, {8, 0.02}, {9, 0.016}, {10, 0.013}, {11, 0.0105}, {12, 0.009}});
  EXPECT_EQ(falling.kind, ObstacleKind::kForwardRuns);
}

TEST(Obstacles, TheClothIsBlamedWhereTheyDoNot) {
  const Obstacle standing = obstacle_after({{1, 0.1}, {5, 0.021}, {7, 0.0209}, {9, 0.0205}, {10, 0.0203}});
  EXPECT_EQ(standing.kind, ObstacleKind::kCloth);
  EXPECT_EQ(standing.last_runs, LastRuns::kNoNearer);
}

// Some forces at their bound do not say that it holds the cloth back where the search was cut short; most do.
TEST(Obstacles, ABoundIsBlamedWhereMostForcesAreAtIt) {
  const std::vector<std::pair<int, double>> falling{{1, 0.1}, {5, 0.04}, {6, 0.034}, {7, 0.029}, {8, 0.02}},
      standing{{1, 0.1}, {5, 0.021}, {7, 0.0209}, {9, 0.0205}, {10, 0.0203}};
  EXPECT_EQ(obstacle_after(falling, 0.3).kind, ObstacleKind::kForwardRuns);
  EXPECT_EQ(obstacle_after(falling, 0.9).kind, ObstacleKind::kBound);
  EXPECT_EQ(obstacle_after(standing, 0.9).last_runs, LastRuns::kSettled);
  const Obstacle some = obstacle_after(standing, 0.3);
  EXPECT_EQ(some.kind, ObstacleKind::kBound);
  EXPECT_EQ(some.last_runs, LastRuns::kNoNearer);
  EXPECT_NEAR(some.share, 0.3, 0.02);
  EXPECT_EQ(obstacle_after(standing, 0.02).kind, ObstacleKind::kCloth);
}

// The pose is swung out: its centre is elsewhere. Pins push back, and so move the centre without a net force.
TEST(Obstacles, NetIsBlamedForACentreThatNothingElseMoves) {
  const std::vector<std::pair<int, double>> standing{{1, 0.1}, {5, 0.021}, {7, 0.0209}, {10, 0.0203}};
  Task task = hung_task(4, 6);
  task.pushing.net = NetForce::kZero;
  EXPECT_EQ(obstacle_after(standing, 0.0, task).kind, ObstacleKind::kBasis);
  task.cloth.pins.clear();
  const Obstacle falling = obstacle_after(standing, 0.0, task);
  EXPECT_EQ(falling.kind, ObstacleKind::kNet);
  EXPECT_GT(falling.share, 0.5);
}

}  // namespace
}  // namespace keydrape
