// Knots farther apart than the shot is long, and than an int counts steps.

#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "control/task/prepared_task.h"
#include "control/unknowns/channel/step_knots.h"
#include "tests/support/hung_task.h"

namespace keydrape {
namespace {

constexpr int kManySubsteps = 3000, kFarKnots = 1000000;  // 3e9 steps

// One interval of many steps.
Task fine_interval() {
  Task task = test::hung_task(2, 1);
  task.grid.substeps = kManySubsteps;
  task.targets[0].keyframe.state = kManySubsteps;
  return task;
}

TEST(SparseKnots, OfForcesAreOneSpan) {
  const auto size_with = [](int knots_every) {
    Task task = fine_interval();
    task.pushing.hold = Hold::kStep;
    task.pushing.knots_every = knots_every;
    const PreparedTask prepared = prepare(std::move(task));
    return prepared.layout->size();
  };
  EXPECT_GT(size_with(1), 0);
  for (const int far : {2, kFarKnots, std::numeric_limits<int>::max()})
    EXPECT_EQ(size_with(far), size_with(1));
  EXPECT_EQ(TimeSpline(10, std::numeric_limits<int>::max()).function_count(), TimeSpline::kSupport);
}

// What the shot has of the way to the knot stays what it is.
TEST(SparseKnots, OfChannelsStandWhereTheyWereAskedFor) {
  Task task = fine_interval();
  ChannelSpec lengths;
  lengths.kind = ChannelKind::kStretchScale;
  lengths.knots_every = kFarKnots;
  task.channels = {lengths};
  const PreparedTask prepared = prepare(std::move(task));
  const StepKnots* const knots = prepared.channels->list().front()->knots();
  ASSERT_TRUE(knots);
  EXPECT_EQ(knots->count(), 1);
  EXPECT_EQ(knots->state(0), std::int64_t{kFarKnots} * kManySubsteps);
  const std::vector<KnotShare> at_end = knots->shares_at(kManySubsteps);
  ASSERT_EQ(at_end.size(), 1u);
  EXPECT_EQ(at_end[0].knot, 0);
  EXPECT_DOUBLE_EQ(at_end[0].share, 1.0 / kFarKnots);
  EXPECT_TRUE(knots->shares_at(0).empty());
  const StepKnots farthest({kManySubsteps, std::numeric_limits<int>::max(), 1e-3, CourseStart::kFree});
  EXPECT_EQ(farthest.count(), 2);
}

}  // namespace
}  // namespace keydrape
