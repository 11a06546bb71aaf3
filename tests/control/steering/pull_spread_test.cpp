// What the pull on few vertices makes of the cloth around them.

#include "control/steering/pull_spread.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "control/shooting/shooting_iterate.h"
#include "control/shooting/shooting_problem.h"
#include "control/task/prepared_task.h"
#include "tests/support/hung_task.h"

namespace keydrape {
namespace {

using namespace test;

// A chain of edges 0 - 1 - .. - n, as long as they are numbered, of which the first vertex cannot be pushed.
struct Chain {
  explicit Chain(int count) {
    std::vector<int> active;
    for (int i = 1; i < count; ++i) {
      active.push_back(i);
      edges.push_back({{i - 1, i}, static_cast<double>(i)});
    }
    layout.emplace(std::vector<int>{0}, active, VecX::Ones(count), std::vector<double>(active.size(), 1.0));
  }
  std::vector<Objective::EdgeLength> edges;
  std::optional<ControlLayout> layout;
};

TEST(PullSpread, FallsAlongAChainByItsLength) {
  constexpr int kCount = 8, kPulled = 5;  // vertices; the one that is pulled
  const Chain chain(kCount);
  std::vector<char> is_pulled(kCount - 1, 0);
  is_pulled[kPulled - 1] = 1;
  ControlLayout::Rows a = ControlLayout::Rows::Zero(kCount - 1, 3);
  a.row(kPulled - 1) << 2.0, -4.0, 0.0;
  PullSpread(*chain.layout, chain.edges, is_pulled).spread(a);
  for (int i = 1; i < kCount; ++i) {
    const double share = i < kPulled ? i * (i + 1.0) / (kPulled * (kPulled + 1.0)) : 1.0;
    EXPECT_NEAR(a(i - 1, 0), 2.0 * share, 1e-7) << i;
    EXPECT_NEAR(a(i - 1, 1), -4.0 * share, 1e-7) << i;
    EXPECT_EQ(a(i - 1, 2), 0.0) << i;
  }
}

// Another piece of cloth stays where it is.
TEST(PullSpread, LeavesAloneWhatIsNotConnected) {
  Chain chain(6);
  chain.edges.erase(chain.edges.begin() + 3);
  std::vector<char> is_pulled(5, 0);
  is_pulled[0] = 1;
  ControlLayout::Rows a = ControlLayout::Rows::Zero(5, 3);
  a.row(0) << 1.0, 1.0, 1.0;
  PullSpread(*chain.layout, chain.edges, is_pulled).spread(a);
  EXPECT_NEAR(a(2, 0), 1.0, 1e-7);
  EXPECT_EQ(a.bottomRows(2), ControlLayout::Rows::Zero(2, 3));
}

// An edge without length holds its ends together.
TEST(PullSpread, TakesCollapsedEdges) {
  Chain chain(4);
  chain.edges[2].length = 0.0;
  ControlLayout::Rows a = ControlLayout::Rows::Zero(3, 3);
  a(2, 0) = 1.0;
  PullSpread(*chain.layout, chain.edges, {0, 0, 1}).spread(a);
  EXPECT_NEAR(a(1, 0), 1.0, 1e-3);
  EXPECT_NEAR(a(0, 0), 1.0 / 3.0, 1e-3);
}

// A corner is to be lifted: alone it would have to carry the sheet, and does not get there.
TEST(PullSpread, BringsACornerNearForLessForce) {
  Task task = hung_task(12, 24);
  Keyframe& keyframe = task.targets[0].keyframe;
  const int corner = 12;
  ASSERT_LT(keyframe.target[3 * corner + 1], -0.39);
  keyframe.vertex_weight.setZero();
  keyframe.vertex_weight[corner] = 1.0;
  keyframe.target.segment<3>(3 * corner) += Vec3(-0.05, 0.1, 0.15);
  task.effort = {.automatic = false, .value = 1e-6};
  const PreparedTask prepared = prepare(task);
  const auto guided = [&](const ShootingOptions& options) {
    ShootingProblem problem(*prepared.simulator, prepared.from(), *prepared.layout, *prepared.objective, 1e9,
                            options);
    const auto run = problem.evaluate_guided(prepared.objective->first_goal());
    EXPECT_TRUE(run->is_complete());
    return std::pair{run->misses()[0].rms, run->z().lpNorm<Eigen::Infinity>()};
  };
  ShootingOptions alone = prepared.shooting_options();
  alone.edges = nullptr;
  const auto [miss, most] = guided(prepared.shooting_options());
  const auto [miss_alone, most_alone] = guided(alone);
  EXPECT_LT(miss, 0.5 * miss_alone);
  EXPECT_LT(most, 0.8 * most_alone);
}

}  // namespace
}  // namespace keydrape
