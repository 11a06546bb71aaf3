// Until when forces act: to the last target, unless something counts on later ones.

#include <gtest/gtest.h>

#include "control/task/task.h"

namespace keydrape {
namespace {

constexpr int kStepsInFrame = 3;

// Targets at the ends of frames 2 and 5 of ten; the second may slide to this state.
Task with_targets(int slides_to = 5 * kStepsInFrame) {
  Task task;
  task.grid = {10, 24.0, kStepsInFrame, 0};
  for (const int frame : {2, 5}) {
    Target target;
    target.keyframe.state = frame * kStepsInFrame;
    task.targets.push_back(target);
  }
  task.targets.back().keyframe.candidates = {4 * kStepsInFrame, slides_to};
  return task;
}

std::optional<IntervalRange> when(Task task) {
  push_until_last_target(task);
  return task.pushing.when;
}

TEST(LastTarget, EndsTheForces) {
  EXPECT_EQ(when(with_targets()), (IntervalRange{0, 5}));
  EXPECT_EQ(when(with_targets(7 * kStepsInFrame)), (IntervalRange{0, 7}));
  EXPECT_EQ(when(with_targets(7 * kStepsInFrame - 1)), (IntervalRange{0, 7}));  // within a frame
  EXPECT_EQ(when(with_targets(10 * kStepsInFrame)), std::nullopt);
}

TEST(LastTarget, LeavesWhatTheSceneSays) {
  Task task = with_targets();
  task.pushing.when = IntervalRange{1, 9};
  EXPECT_EQ(when(task), (IntervalRange{1, 5}));
  task.pushing.when = IntervalRange{1, 4};
  EXPECT_EQ(when(task), (IntervalRange{1, 4}));
  task.pushing.when = IntervalRange{6, 9};  // too late for anything: refused elsewhere, with the reason
  EXPECT_EQ(when(task), (IntervalRange{6, 9}));
}

TEST(LastTarget, LaterForcesCountWhereChangesCostOrASumIsHeld) {
  Task smooth = with_targets();
  smooth.effort.smooth_time = 0.1;
  EXPECT_EQ(when(smooth), std::nullopt);
  Task held = with_targets();
  held.pushing.net = NetForce::kZeroImpulse;
  EXPECT_EQ(when(held), std::nullopt);
  held.pushing.net = NetForce::kZero;
  EXPECT_EQ(when(held), (IntervalRange{0, 5}));
  EXPECT_EQ(when(Task{}), std::nullopt);
}

}  // namespace
}  // namespace keydrape
