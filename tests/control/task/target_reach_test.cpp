#include "control/task/target_reach.h"

#include <gtest/gtest.h>

#include <cmath>

#include "control/run/rollout.h"
#include "control/task/rivalry.h"
#include "tests/support/hung_task.h"

namespace keydrape {
namespace {

constexpr int kCells = 4, kReachIntervals = 12;
constexpr double kTime = kReachIntervals / 24.0;

TargetReach reach_of(const Task& task, std::size_t k = 0) { return ReachMeter(task).measure(k); }

void shift(VecX& x, const Vec3& by) {
  for (Eigen::Index i = 0; i < x.size(); i += 3) x.segment<3>(i) += by;
}

// Constant acceleration takes exactly what (K8) says; the cloth's weight is not asked for again.
TEST(TargetReach, TheWayFromTheStart) {
  Task task = test::hung_task(kCells, kReachIntervals);
  task.cloth.pins.clear();
  constexpr double a = 40.0;
  shift(task.targets[0].keyframe.target, Vec3(0, 0.5 * a * kTime * kTime, 0));
  const TargetWay way = reach_of(task).way;
  EXPECT_EQ(way.from, -1);
  EXPECT_NEAR(way.time, kTime, 1e-12);
  EXPECT_NEAR(way.rms, 0.5 * a * kTime * kTime, 1e-12);
  EXPECT_NEAR(way.speed, 0.5 * a * kTime, 1e-12);
  EXPECT_NEAR(*way.acceleration, (a - kStandardGravity) / kStandardGravity, 1e-12);
  task.channels.push_back({.kind = ChannelKind::kRigidThrow});
  EXPECT_FALSE(reach_of(task).way.acceleration);
}

// From an earlier target the cloth may come with all the speed that it can have had by then.
TEST(TargetReach, TheWayFromTheTargetBefore) {
  Task task = test::hung_task(kCells, 2 * kReachIntervals);
  task.cloth.pins.clear();
  constexpr double a = 40.0;
  Target first = task.targets[0];
  first.keyframe.state = kReachIntervals * task.grid.substeps;
  shift(first.keyframe.target, Vec3(0.5 * a * kTime * kTime, 0, 0));
  shift(task.targets[0].keyframe.target, Vec3(0.5 * a * 4 * kTime * kTime, 0, 0));
  task.targets.push_back(first);
  const TargetWay way = reach_of(task, 0).way;
  EXPECT_EQ(way.from, 1);
  EXPECT_NEAR(way.time, kTime, 1e-12);
  EXPECT_NEAR(*way.acceleration, (a - kStandardGravity) / kStandardGravity, 1e-12);
}

// What pins hold has no way to go, wherever it is asked to be.
TEST(TargetReach, TheWayOfWhatIsFree) {
  Task task = test::hung_task(kCells, kReachIntervals);
  Keyframe& keyframe = task.targets[0].keyframe;
  shift(keyframe.target, Vec3(0.3, 0, 0));
  for (const int i : task.cloth.pins[0].vertices) keyframe.target(3 * i) += 10.0;
  const TargetWay way = reach_of(task).way;
  EXPECT_NEAR(way.rms, 0.3, 1e-12);
  EXPECT_NEAR(way.fastest, 0.3 / kTime, 1e-12);
}

// What moves the cloth beside forces may do so at any acceleration.
TEST(TargetReach, TheWayOfClothThatIsCarried) {
  Task task = test::hung_task(kCells, kReachIntervals);
  shift(task.targets[0].keyframe.target, Vec3(10, 0, 0));
  ASSERT_TRUE(reach_of(task).way.acceleration);
  EXPECT_FALSE(reach_of(task).way.is_carried);
  const auto expect_carried = [](const Task& moved, bool is_carried) {
    const TargetWay way = reach_of(moved).way;
    EXPECT_EQ(way.is_carried, is_carried);
    EXPECT_EQ(way.acceleration.has_value(), !is_carried);
    EXPECT_GT(way.rms, 9.0);
  };
  const auto in_frame = [&](double inertia, std::vector<RigidKey> keys) {
    Task moved = task;
    moved.cloth.frame = MovingFrame{RigidMotion(std::move(keys)), inertia};
    return moved;
  };
  const RigidKey begin{0.0, Vec3::Zero(), Eigen::Quaterniond::Identity()},
      end{kTime, Vec3(10, 0, 0), Eigen::Quaterniond::Identity()};
  expect_carried(in_frame(0.5, {begin, end}), true);
  expect_carried(in_frame(0.0, {begin, end}), false);
  expect_carried(in_frame(1.0, {begin}), false);
  // Pins that move, and some that do so when the target has passed.
  const VecX held = task.cloth.pins[0].motion.samples.front();
  VecX moved = held;
  shift(moved, Vec3(10, 0, 0));
  Task pinned = task;
  pinned.cloth.pins[0].motion = {{held, moved}, kTime};
  expect_carried(pinned, true);
  pinned.cloth.pins[0].motion = {{held, held, moved}, kTime};
  expect_carried(pinned, false);
  pinned.cloth.pins[0].motion = {{held, moved}, kTime, kTime};
  expect_carried(pinned, false);
  const HardPin& hard = pinned.cloth.pins[0];
  pinned.cloth.soft_pins.push_back(
      {hard.vertices, std::vector<double>(hard.vertices.size(), 1.0), {{held, moved}, kTime}});
  expect_carried(pinned, true);
  task.channels.push_back({.kind = ChannelKind::kPin});
  expect_carried(task, true);
}

// The cloth may fall as fast as it ever gets before its target.
TEST(TargetReach, GravityThatGrowsOnTheWay) {
  Task task = test::hung_task(kCells, kReachIntervals);
  task.cloth.pins.clear();
  constexpr double a = 40.0;
  shift(task.targets[0].keyframe.target, Vec3(0, -0.5 * a * kTime * kTime, 0));
  const auto least = [&](double strong_from) {
    task.cloth.gravity = Animated<Vec3>({{0.0, Vec3(0, -1, 0)}, {strong_from, Vec3(0, -30, 0)}});
    return *reach_of(task).way.acceleration * kStandardGravity;
  };
  EXPECT_NEAR(least(0.5 * kTime), a - 30.0, 1e-9);
  EXPECT_NEAR(least(2.0 * kTime), a - 15.5, 1e-9);  // half of the way up to it
  EXPECT_NEAR(strongest_gravity(task, kTime), 15.5, 1e-9);
}

// One vertex of 25 that is asked to be elsewhere weighs a fifth of its distance in the mean of all.
TEST(TargetReach, WhatTolerancesLeaveRoomFor) {
  Task task = test::hung_task(kCells, kReachIntervals);
  Target pose = task.targets[0], corner = pose;
  pose.tolerance = corner.tolerance = 0.003;
  corner.keyframe.vertex_weight.setZero();
  corner.keyframe.vertex_weight[0] = 1.0;
  corner.keyframe.target[2] += 0.02;
  const TargetDistance distance = distance_between(pose, corner);
  EXPECT_NEAR(distance.rms, 0.02, 1e-12);
  EXPECT_NEAR(distance.excess, 0.02 - 5 * 0.003 - 0.003, 1e-12);
  EXPECT_NEAR(distance_between(corner, pose).excess, distance.excess, 1e-12);
  pose.tolerance = {};
  EXPECT_NEAR(distance_between(pose, corner).excess, 0.02 - 0.003, 1e-12);
}

// All that tolerances of t leave of 25 vertices may be off at one, by 5 t; or as far as any may.
TEST(Rivalry, IsWhatTolerancesLeaveNoRoomFor) {
  constexpr double t = 0.003;
  Task task = test::hung_task(kCells, kReachIntervals);
  Target here = task.targets[0], there = here;
  here.tolerance = there.tolerance = t;
  there.keyframe.target[2] += 9 * t;
  EXPECT_EQ(rivalry(here, there), 0.0);
  here.tolerance_max = 3.5 * t;
  EXPECT_NEAR(rivalry(here, there), 9 * t, 1e-12);
  here.tolerance_max = 4.5 * t;
  EXPECT_EQ(rivalry(here, there), 0.0);
  there.keyframe.target[2] += 2 * t;
  EXPECT_NEAR(rivalry(here, there), 11 * t / 5, 1e-12) << "in the mean";
}

// The upper edge hangs from y = 0; the cloth is as long as it is wide.
TEST(TargetReach, PointsFartherFromAPinThanTheClothIsLong) {
  Task task = test::hung_task(kCells, kReachIntervals);
  Keyframe& keyframe = task.targets[0].keyframe;
  keyframe.vertex_weight.setZero();
  keyframe.vertex_weight[0] = 1.0;  // a lower corner
  keyframe.target[1] -= 0.01;       // by 2.5 %: within what cloth gives
  EXPECT_EQ(reach_of(task).taut.vertex, -1);
  keyframe.target[1] -= 0.2;
  const TargetReach reach = reach_of(task);
  EXPECT_EQ(reach.strain.area, 0.0);
  EXPECT_EQ(reach.taut.vertex, 0);
  EXPECT_TRUE(reach.taut.is_held);
  const Vec3 held = task.cloth.mesh.positions[static_cast<std::size_t>(reach.taut.other)];
  EXPECT_NEAR(held.y(), 0.0, 1e-12);
  EXPECT_NEAR(reach.taut.distance, (keyframe.target.head<3>() - held).norm(), 1e-12);
  EXPECT_GE(reach.taut.length, 0.4 - 1e-12);
  EXPECT_NEAR(reach.taut.excess, reach.taut.distance - 1.05 * reach.taut.length, 1e-12);
}

// Whichever comes first, and though the pinned one is asked for as well.
TEST(TargetReach, OfAPinnedAndAFreeVertexThePinnedOneStays) {
  Task task = test::hung_task(kCells, kReachIntervals);
  const int first = 0, last = task.vertex_count() - 1;
  for (const auto& [held, free] : {std::pair(first, last), {last, first}}) {
    HardPin& pin = task.cloth.pins[0];
    pin.vertices = {held};
    pin.motion = {{task.start.x.segment<3>(3 * held)}, 1.0};
    Keyframe& keyframe = task.targets[0].keyframe;
    keyframe.vertex_weight.setZero();
    keyframe.vertex_weight[held] = keyframe.vertex_weight[free] = 1.0;
    keyframe.target = task.start.x;
    keyframe.target.segment<3>(3 * free) +=
        (task.start.x.segment<3>(3 * free) - task.start.x.segment<3>(3 * held)).normalized() * 0.4;
    const TautPair taut = reach_of(task).taut;
    EXPECT_EQ(taut.vertex, free);
    EXPECT_EQ(taut.other, held);
    EXPECT_TRUE(taut.is_held);
  }
}

// One that is held stays; of two that are free each comes to meet the other, the lighter one further.
TEST(TargetReach, WhatTwoTautVerticesLeaveOfTheMiss) {
  const VecX omega{{3.0, 1.0, 0.0, 4.0}};
  const TautPair held{.vertex = 0, .other = 2, .is_held = true, .excess = 0.2};
  EXPECT_NEAR(least_rms(held, omega), 0.2 * std::sqrt(3.0 / 8.0), 1e-12);
  EXPECT_EQ(least_max(held), 0.2);
  const TautPair free{.vertex = 0, .other = 1, .excess = 0.2};
  EXPECT_NEAR(least_rms(free, omega), std::sqrt((3.0 * 0.05 * 0.05 + 0.15 * 0.15) / 8.0), 1e-12);
  EXPECT_EQ(least_max(free), 0.1);
  EXPECT_EQ(least_rms({}, omega), 0.0);
  EXPECT_EQ(least_max({}), 0.0);
}

TEST(TargetReach, PinsThatStandElsewhere) {
  Task task = test::hung_task(kCells, kReachIntervals);
  Target& target = task.targets[0];
  target.tolerance = 0.005;
  EXPECT_EQ(reach_of(task).held.count, 0);
  shift(target.keyframe.target, Vec3(0.1, 0, 0));
  const TargetReach reach = reach_of(task);
  EXPECT_EQ(reach.held.count, kCells + 1);
  EXPECT_NEAR(reach.held.farthest, 0.1, 1e-12);
  // Five of 25 vertices, 0.1 m off each.
  EXPECT_NEAR(reach.held.rms, 0.1 / std::sqrt(5.0), 1e-12);
  EXPECT_EQ(reach.free_count, kCells * (kCells + 1));
  task.channels.push_back({.kind = ChannelKind::kPin});
  EXPECT_EQ(reach_of(task).held.count, 0);
}

// A pin that goes at 2 m/s while the cloth is to be at rest.
TEST(TargetReach, PinsThatMoveOtherwise) {
  Task task = test::hung_task(kCells, kReachIntervals);
  Keyframe& keyframe = task.targets[0].keyframe;
  keyframe.velocity_weight = 1.0;
  keyframe.target_velocity = VecX::Zero(keyframe.target.size());
  EXPECT_EQ(reach_of(task).held_velocity.count, 0);
  HardPin& pin = task.cloth.pins[0];
  VecX end = pin.motion.samples.front();
  shift(end, Vec3(0, 0, 2.0 * kTime));
  pin.motion = {{pin.motion.samples.front(), end}, kTime};
  const TargetReach reach = reach_of(task);
  EXPECT_EQ(reach.held_velocity.count, kCells + 1);
  EXPECT_NEAR(reach.held_velocity.farthest, 2.0, 1e-9);
  EXPECT_NEAR(reach.held_velocity.rms, 2.0 / std::sqrt(5.0), 1e-9);
}

// A pin that speeds up all the way: of what the steps say of its velocity a target misses nothing.
TEST(TargetReach, PinsThatSpeedUp) {
  constexpr double kSpeedUp = 8.0;  // [m/s^2]
  Task task = test::hung_task(kCells, kReachIntervals);
  const double dt = task.grid.dt();
  const int last = task.grid.step_count();
  HardPin& pin = task.cloth.pins[0];
  const VecX begin = pin.motion.samples.front();
  pin.motion = {{}, dt};
  for (int n = 0; n <= last; ++n) {
    pin.motion.samples.push_back(begin);
    shift(pin.motion.samples.back(), Vec3(0, 0, 0.5 * kSpeedUp * n * n * dt * dt));
  }
  Keyframe& keyframe = task.targets[0].keyframe;
  keyframe.velocity_weight = 1.0;
  for (const StepMethod method : {StepMethod::kConverged, StepMethod::kBdf2}) {
    task.simulator.method = method;
    SimulatorOptions options = task.simulator;
    options.dt = dt;
    const Model model = build_model(task.cloth);
    const Trajectory run = rollout(Simulator(model, options), task.start, NoForces(), last);
    keyframe.target_velocity = run.states.back().v;
    const TargetReach reach = reach_of(task);
    EXPECT_EQ(reach.held_velocity.count, 0);
    EXPECT_LT(reach.held_velocity.rms, 1e-9);
    EXPECT_GT(keyframe.target_velocity.norm(), kSpeedUp * (last - 1) * dt) << "else this tests nothing";
  }
}

// Of a loop velocities count from those of the start.
TEST(TargetReach, PinsThatGoOnAsALoopBegan) {
  constexpr double kSpeed = 2.0;
  Task task = test::hung_task(kCells, kReachIntervals);
  HardPin& pin = task.cloth.pins[0];
  VecX end = pin.motion.samples.front();
  shift(end, Vec3(0, 0, kSpeed * kTime));
  pin.motion = {{pin.motion.samples.front(), end}, kTime};
  shift(task.start.v, Vec3(0, 0, kSpeed));
  Keyframe& keyframe = task.targets[0].keyframe;
  keyframe.relative_to = 0;
  keyframe.velocity_weight = 1.0;
  keyframe.target_velocity = VecX::Zero(keyframe.target.size());
  EXPECT_EQ(reach_of(task).held_velocity.count, 0);
  EXPECT_NEAR(reach_of(task).held_velocity.rms, 0.0, 1e-9);
  shift(keyframe.target_velocity, Vec3(0.5, 0, 0));
  EXPECT_EQ(reach_of(task).held_velocity.count, kCells + 1);
  EXPECT_NEAR(reach_of(task).held_velocity.farthest, 0.5, 1e-9);
}

// A target that may slide is asked when the pins are nearest.
TEST(TargetReach, PinsThatComeByInAWindow) {
  Task task = test::hung_task(kCells, kReachIntervals);
  Keyframe& keyframe = task.targets[0].keyframe;
  HardPin& pin = task.cloth.pins[0];
  VecX end = pin.motion.samples.front();
  shift(end, Vec3(0, 0, 0.1));
  pin.motion = {{end, pin.motion.samples.front(), end}, kTime / 2};
  EXPECT_EQ(reach_of(task).held.count, kCells + 1);
  keyframe.candidates = {keyframe.state / 2, keyframe.state};
  EXPECT_EQ(reach_of(task).held.count, 0);
}

// Of a loop only what the pins hold is known, of a shape of its own nothing is said.
TEST(TargetReach, ALoopHasNoShape) {
  Task task = test::hung_task(kCells, kReachIntervals);
  Keyframe& keyframe = task.targets[0].keyframe;
  keyframe.relative_to = 0;
  keyframe.target.setZero();
  const TargetReach reach = reach_of(task);
  EXPECT_FALSE(reach.has_shape);
  EXPECT_EQ(reach.strain.area, 0.0);
  EXPECT_EQ(reach.held.count, 0);
  EXPECT_EQ(reach.way.fastest_vertex, -1);
}

// A pin that lets all of the cloth go within the window of a target.
TEST(TargetReach, WhatIsFreeLaterInAWindow) {
  Task task = test::hung_task(kCells, kReachIntervals);
  std::vector<int> all(static_cast<std::size_t>(task.vertex_count()));
  for (int i = 0; i < task.vertex_count(); ++i) all[i] = i;
  task.cloth.pins = {test::held(task.start.x, all)};
  task.cloth.pins[0].end_time = kTime / 2;
  Keyframe& keyframe = task.targets[0].keyframe;
  const int last = keyframe.state;
  keyframe.state = last / 4;
  EXPECT_EQ(reach_of(task).free_count, 0);
  keyframe.candidates = {last / 4, last / 2, last};
  EXPECT_EQ(reach_of(task).free_count, task.vertex_count());
}

// Where positions have no weight, it is velocities that are asked for.
TEST(TargetReach, WhatVelocitiesAskFor) {
  Task task = test::hung_task(kCells, kReachIntervals);
  Keyframe& keyframe = task.targets[0].keyframe;
  keyframe.velocity_weight = 1.0;
  keyframe.target_velocity = VecX::Zero(keyframe.target.size());
  keyframe.velocity_vertex_weight = VecX::Zero(task.vertex_count());
  for (const int i : task.cloth.pins[0].vertices) keyframe.velocity_vertex_weight[i] = 1.0;
  EXPECT_EQ(reach_of(task).free_count, kCells * (kCells + 1));
  keyframe.weight = 0.0;
  EXPECT_EQ(reach_of(task).free_count, 0);
}

}  // namespace
}  // namespace keydrape
