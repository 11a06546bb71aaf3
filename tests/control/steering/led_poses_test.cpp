// A part of the cloth is led by hands, and keyframes get the poses in which it comes to lie.

#include "control/steering/led_poses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "control/run/rollout.h"
#include "control/shooting/shooting_iterate.h"
#include "control/shooting/shooting_problem.h"
#include "control/task/prepared_task.h"
#include "tests/support/hung_task.h"

namespace keydrape {
namespace {

using namespace test;

constexpr int kCorner = 12;  // a lower one

// A lower corner of a hung sheet is to be lifted.
Task lifted() {
  Task task = hung_task(12, 24);
  Keyframe& keyframe = task.targets[0].keyframe;
  EXPECT_LT(keyframe.target[3 * kCorner + 1], -0.39);
  keyframe.vertex_weight.setZero();
  keyframe.vertex_weight[kCorner] = 0.7;
  keyframe.target.segment<3>(3 * kCorner) += Vec3(-0.05, 0.1, 0.15);
  task.effort = {.automatic = false, .value = 1e-6};
  return task;
}

TEST(LedPoses, AreForAPartInPlacesOfItsOwn) {
  const PreparedTask prepared = prepare(lifted());
  const ControlLayout& layout = *prepared.layout;
  const Keyframe corner = prepared.task.targets[0].keyframe;
  const auto wants = [&](std::vector<Keyframe> keyframes) { return that_want_a_part(keyframes, layout); };
  EXPECT_EQ(wants({corner}), std::vector<char>{1});
  Keyframe half = corner, most = corner;
  half.vertex_weight.head(layout.active_count() / 2).setOnes();
  most.vertex_weight.head(layout.active_count() * 9 / 10).setOnes();
  EXPECT_EQ(wants({half, most}), (std::vector<char>{0, 0})) << "the other one says where the cloth lies";
  EXPECT_EQ(wants({half, corner}), (std::vector<char>{1, 1}));
  most.state -= 2;
  EXPECT_EQ(wants({half, most}), (std::vector<char>{1, 0}));
  most.weight = 0.0;
  most.state = half.state;
  EXPECT_EQ(wants({half, most}), (std::vector<char>{1, 0})) << "it is measured only";
  Keyframe held = corner;
  held.vertex_weight.setZero();
  held.vertex_weight[prepared.task.cloth.pins[0].vertices[0]] = 1.0;
  EXPECT_EQ(wants({held}), std::vector<char>{0});
  Keyframe relative = corner;
  relative.relative_to = 0;
  EXPECT_EQ(wants({relative}), std::vector<char>{0});
  Keyframe across = corner;
  across.directions.assign(layout.active().back() + 1, Mat3::Identity());
  EXPECT_EQ(wants({across}), std::vector<char>{0});
}

// Together they carry the cloth, each by what its vertex counts.
TEST(LedPoses, HandsShareTheCloth) {
  Task task = lifted();
  task.targets[0].keyframe.vertex_weight[0] = 0.35;
  const PreparedTask prepared = prepare(std::move(task));
  const ClothDescription cloth =
      led_cloth(prepared.task.cloth, {*prepared.simulator, prepared.start(), *prepared.layout, 0.5},
                {prepared.task.targets[0].keyframe});
  ASSERT_EQ(cloth.soft_pins.size(), 1u);
  const SoftPin& hands = cloth.soft_pins[0];
  EXPECT_EQ(hands.vertices, (std::vector<int>{0, kCorner}));
  EXPECT_EQ(hands.weights, (std::vector<double>{0.5, 1.0}));
  const VecX &start = prepared.start().x, &target = prepared.task.targets[0].keyframe.target;
  for (const int k : {0, 1}) {
    const int i = hands.vertices[k];
    EXPECT_EQ(hands.motion.position(k, 0.0), start.segment<3>(3 * i));
    EXPECT_LE((hands.motion.position(k, hands.end_time) - target.segment<3>(3 * i)).norm(), 1e-12);
  }
  // At a gentle pull a thousandth of the cloth's size is what they give.
  const double weight = prepared.model->vertex_mass().sum() * kStandardGravity;
  EXPECT_NEAR(1.5 * hands.stiffness * 0.001 * 0.5, weight, 1e-9 * weight);
}

// Who is wanted no longer is let go; the others are held on.
TEST(LedPoses, HandsLetGoOneByOne) {
  Task task = lifted();
  Target other = task.targets[0];
  other.keyframe.state = 20;
  other.keyframe.vertex_weight.setZero();
  other.keyframe.vertex_weight[0] = 1.0;
  task.targets.push_back(other);
  const PreparedTask prepared = prepare(std::move(task));
  std::vector<Keyframe> keyframes;
  for (const Target& target : prepared.task.targets) keyframes.push_back(target.keyframe);
  const ClothDescription cloth = led_cloth(
      prepared.task.cloth, {*prepared.simulator, prepared.start(), *prepared.layout, 0.5}, keyframes);
  ASSERT_EQ(cloth.soft_pins.size(), 2u);
  const double dt = prepared.simulator->dt();
  EXPECT_EQ(cloth.soft_pins[0].vertices, std::vector<int>{0});
  EXPECT_DOUBLE_EQ(cloth.soft_pins[0].end_time, 20 * dt);
  EXPECT_EQ(cloth.soft_pins[1].vertices, std::vector<int>{kCorner});
  EXPECT_DOUBLE_EQ(cloth.soft_pins[1].end_time, keyframes[0].state * dt);
}

// The shot begins at step 5 of a longer one; a second keyframe wants the vertex elsewhere.
TEST(LedPoses, AHandIsAtEveryStationInTimeAndThenLetsGo) {
  Task task = lifted();
  task.grid.first_step = 5;
  Target earlier = task.targets[0];
  earlier.keyframe.state = 20;
  earlier.keyframe.target[3 * kCorner] -= 0.02;
  task.targets.push_back(earlier);
  const PreparedTask prepared = prepare(std::move(task));
  std::vector<Keyframe> keyframes;
  for (const Target& target : prepared.task.targets) keyframes.push_back(target.keyframe);
  const ClothDescription cloth = led_cloth(
      prepared.task.cloth, {*prepared.simulator, prepared.start(), *prepared.layout, 0.5}, keyframes);
  ASSERT_EQ(cloth.soft_pins.size(), 1u);
  const SoftPin& hand = cloth.soft_pins[0];
  EXPECT_EQ(hand.vertices, std::vector<int>{kCorner});
  const double dt = prepared.simulator->dt();
  const auto at = [&](int state) { return hand.motion.position(0, dt * (5 + state)); };
  EXPECT_LE((at(0) - prepared.start().x.segment<3>(3 * kCorner)).norm(), 1e-12);
  for (const Keyframe& keyframe : keyframes)
    EXPECT_LE((at(keyframe.state) - keyframe.target.segment<3>(3 * kCorner)).norm(), 1e-12);
  // At rest at both ends, and not in between.
  const auto speed = [&](int state) { return (at(state + 1) - at(state)).norm() / dt; };
  EXPECT_LT(speed(0), 0.1 * speed(10));
  EXPECT_LT(speed(keyframes[0].state - 1), 0.1 * speed(10));
  EXPECT_GT(std::min(speed(19), speed(20)), 0.2 * speed(10));
  EXPECT_DOUBLE_EQ(hand.end_time, dt * (5 + keyframes[0].state));
  // Carrying all of the cloth stretches it by a thousandth of the cloth's size.
  const double weight = prepared.model->vertex_mass().sum() * kStandardGravity;
  EXPECT_GE(hand.stiffness * 0.001 * 0.5, (1.0 - 1e-12) * weight);
}

// A shot, or a window of one, may begin with cloth that moves, and a pose may be wanted in passing.
TEST(LedPoses, AHandBeginsAndArrivesAsItsVertexDoes) {
  Task task = lifted();
  const Vec3 before(0.3, -0.2, 0.1), wanted(-0.4, 0.0, 0.5);
  task.grid.first_step = 100'000;
  task.start.v.segment<3>(3 * kCorner) = before;
  Keyframe& first = task.targets[0].keyframe;
  first.velocity_weight = 1.0;
  first.target_velocity = VecX::Zero(task.start.x.size());
  first.target_velocity.segment<3>(3 * kCorner) = wanted;
  Target last = task.targets[0];
  first.state = 10;
  last.keyframe.velocity_weight = 0.0;
  task.targets.push_back(last);
  const PreparedTask prepared = prepare(std::move(task));
  std::vector<Keyframe> keyframes;
  for (const Target& target : prepared.task.targets) keyframes.push_back(target.keyframe);
  const SoftPin hand = led_cloth(prepared.task.cloth,
                                 {*prepared.simulator, prepared.start(), *prepared.layout, 0.5}, keyframes)
                           .soft_pins[0];
  EXPECT_EQ(hand.motion.samples.size(), keyframes[1].state + 1u) << "none for what has passed";
  const double dt = prepared.simulator->dt();
  const auto velocity = [&](double state) {  // in the middle of a step
    const double at = hand.motion.start_time + state * dt;
    return Vec3((hand.motion.position(0, at + 0.5 * dt) - hand.motion.position(0, at - 0.5 * dt)) / dt);
  };
  // A cubic's velocity is a parabola: what three steps in a row go gives it at their end.
  const auto at_end_of_three = [&](double state, double way) {
    const Vec3 a = velocity(state + 0.5 * way), b = velocity(state + 1.5 * way),
               c = velocity(state + 2.5 * way);
    return Vec3((11.0 * a - 7.0 * b + 2.0 * c) / 6.0);
  };
  EXPECT_LT((at_end_of_three(0, 1) - before).norm(), 1e-8);
  EXPECT_LT((at_end_of_three(10, -1) - wanted).norm(), 1e-8);
  EXPECT_LT((at_end_of_three(10, 1) - wanted).norm(), 1e-8);
  EXPECT_LT(at_end_of_three(keyframes[1].state, -1).norm(), 1e-8) << "at rest where no velocity is wanted";
}

// Half of the way in half of the time, where there is one station; on a track as it goes.
TEST(LedPoses, AHandMovesEvenly) {
  const PreparedTask prepared = prepare(lifted());
  const Keyframe last = prepared.task.targets[0].keyframe;
  const auto way = [&](const std::vector<Keyframe>& keyframes) {
    return led_cloth(prepared.task.cloth, {*prepared.simulator, prepared.start(), *prepared.layout, 0.5},
                     keyframes)
        .soft_pins[0]
        .motion.samples;
  };
  const std::vector<VecX> alone = way({last});
  const Vec3 from = prepared.start().x.segment<3>(3 * kCorner), to = last.target.segment<3>(3 * kCorner);
  EXPECT_LE((alone[last.state / 2] - 0.5 * (from + to)).norm(), 1e-12);
  std::vector<Keyframe> track;
  for (int n = 2; n <= last.state; n += 2) {
    track.push_back(last);
    track.back().state = n;
    track.back().target.segment<3>(3 * kCorner) = from + (to - from) * n / last.state;
  }
  const std::vector<VecX> followed = way(track);
  for (int n = 2; n <= last.state - 2; ++n)
    EXPECT_LE((followed[n] - from - (to - from) * n / last.state).norm(), 1e-12) << n;
}

TEST(LedPoses, AreWhereTheClothCameTo) {
  Task task = lifted();
  task.targets[0].keyframe.velocity_weight = 1.0;
  task.targets[0].keyframe.target_velocity = VecX::Zero(task.start.x.size());
  const PreparedTask prepared = prepare(std::move(task));
  const std::vector<Keyframe> keyframes = {prepared.task.targets[0].keyframe};
  const Keyframe& keyframe = keyframes[0];
  const Model model = build_model(led_cloth(
      prepared.task.cloth, {*prepared.simulator, prepared.start(), *prepared.layout, 0.5}, keyframes));
  const Simulator simulator(model, prepared.simulator->options());
  Trajectory run = rollout(simulator, prepared.from(), NoForces(), keyframe.state);
  const VecX& end = run.states.back().x;
  EXPECT_LE((end - keyframe.target).segment<3>(3 * kCorner).norm(), 1e-3);
  const Keyframe pose = with_led_poses(keyframes, *prepared.layout, run)[0];
  EXPECT_EQ(pose.target.segment<3>(3 * kCorner), keyframe.target.segment<3>(3 * kCorner));
  EXPECT_EQ(pose.target.segment<3>(3 * kCorner + 3), end.segment<3>(3 * kCorner + 3));
  EXPECT_EQ(pose.vertex_weight, VecX::Ones(keyframe.vertex_weight.size()));
  EXPECT_EQ(pose.velocity_omega(), keyframe.velocity_omega());
  run.states.pop_back();
  run.reports.pop_back();
  EXPECT_EQ(with_led_poses(keyframes, *prepared.layout, run)[0].target, keyframe.target);
}

// Alone the corner would have to carry the sheet, and does not get there.
TEST(LedPoses, BringACornerNear) {
  const PreparedTask prepared = prepare(lifted());
  ShootingProblem problem(*prepared.simulator, prepared.from(), *prepared.layout, *prepared.objective, 1e9,
                          prepared.shooting_options());
  const GoalPointer goal = prepared.objective->first_goal();
  const int runs = problem.work().forward_simulations;
  const std::vector<Keyframe> poses = problem.led_keyframes(goal->keyframes);
  EXPECT_EQ(problem.work().forward_simulations, runs + 1);
  const auto led = problem.evaluate_guided(goal, &poses), alone = problem.evaluate_guided(goal);
  ASSERT_TRUE(led->is_complete() && alone->is_complete());
  EXPECT_LT(led->misses()[0].rms, 0.3 * alone->misses()[0].rms);
}

}  // namespace
}  // namespace keydrape
