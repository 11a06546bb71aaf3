// Windows of a task as tasks of their own: what their forces cost is what they cost in the whole.

#include "control/task/window_task.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "tests/support/hung_task.h"
#include "tests/support/noise.h"

namespace keydrape {
namespace {

using namespace test;

constexpr int kWindowIntervals = 6;

VecX some(const ControlLayout& layout, double scale) {
  Rng rng(layout.size());
  return noise(rng, layout.size() / 3, scale);
}

// A hung sheet whose forces may not change fast, from step to step or from interval to interval.
PreparedTask smooth_task(Hold hold) {
  Task task = hung_task(2, kWindowIntervals);
  task.pushing.hold = hold;
  task.effort = {.automatic = false, .value = 1e-3, .smooth_time = 3.0, .smooth_space = 0.5};
  return prepare(std::move(task));
}

// The run without forces, as far as an interval.
Trajectory rest_until(const PreparedTask& whole, int interval) {
  Trajectory run;
  run.states.assign(static_cast<std::size_t>(interval * whole.task.grid.substeps) + 1, whole.start());
  run.reports.resize(run.states.size() - 1);
  return run;
}

PreparedTask window(const PreparedTask& whole, const IntervalRange& range, const VecX& z, bool is_last) {
  const Trajectory run = rest_until(whole, range.first);
  return prepare(window_of(whole, range, {run, z, is_last}), whole.model);
}

// In [0, 2], [2, 3] and [3, 6] of six intervals, one after the other: (W1) to (W3).
TEST(WindowTask, WindowsCostWhatTheWholeDoes) {
  for (const Hold hold : {Hold::kInterval, Hold::kStep}) {
    const PreparedTask whole = smooth_task(hold);
    const VecX z = some(*whole.layout, 0.1);
    ObjectiveTerms sum;
    for (const IntervalRange& range :
         {IntervalRange{0, 2}, IntervalRange{2, 3}, IntervalRange{3, kWindowIntervals}}) {
      const PreparedTask part = window(whole, range, z, range.last == kWindowIntervals);
      const WindowUnknowns unknowns(whole, part, range);
      const ObjectiveTerms terms = part.objective->cost(*part.objective->first_goal(), unknowns.of_window(z));
      sum.effort += terms.effort;
      sum.smoothness += terms.smoothness;
    }
    const ObjectiveTerms at_once = whole.objective->cost(*whole.objective->first_goal(), z);
    EXPECT_NEAR(sum.effort, at_once.effort, 1e-12 * at_once.effort);
    EXPECT_NEAR(sum.smoothness, at_once.smoothness, 1e-12 * at_once.smoothness);
  }
}

// A part of the shot alone: no force acts before and behind it.
TEST(WindowTask, ForcesOfAPartComeFromNothingAndGoToNothing) {
  const PreparedTask whole = smooth_task(Hold::kInterval);
  VecX z = VecX::Zero(whole.layout->size());
  const IntervalRange range{2, 4};
  const PreparedTask part = window(whole, range, z, true);
  const WindowUnknowns unknowns(whole, part, range);
  const VecX of_part = some(*part.layout, 0.1);
  unknowns.put(of_part, z);
  const double there = part.objective->cost(*part.objective->first_goal(), of_part).smoothness;
  const double at_once = whole.objective->cost(*whole.objective->first_goal(), z).smoothness;
  EXPECT_NEAR(there, at_once, 1e-12 * at_once);
}

// The gradient is that of the value, the product its derivative, and the metric's inverse its inverse,
// whichever ends are held.
TEST(WindowTask, BordersAreInTheDerivatives) {
  const PreparedTask whole = smooth_task(Hold::kInterval);
  const VecX known = some(*whole.layout, 0.2);
  for (const auto& [range, is_last] : {std::pair(IntervalRange{0, kWindowIntervals}, true),
                                       {IntervalRange{0, 4}, true},
                                       {IntervalRange{2, 5}, false},
                                       {IntervalRange{2, 5}, true},
                                       {IntervalRange{3, 4}, true}}) {
    const PreparedTask part = window(whole, range, known, is_last);
    const Objective& objective = *part.objective;
    const GoalState& goal = *objective.first_goal();
    const VecX z = some(*part.layout, 0.1), d = some(*part.layout, 0.3) + VecX::Ones(part.layout->size());
    VecX gradient = VecX::Zero(z.size()), there = gradient, product = gradient;
    objective.add_effort_gradient(goal, z, gradient);
    objective.add_effort_gradient(goal, z + d, there);
    objective.add_effort_product(goal, d, product);
    EXPECT_LT((there - gradient - product).norm(), 1e-12 * product.norm());
    // Of a quadratic form central differences are exact.
    const double change = objective.cost(goal, z + d).total() - objective.cost(goal, z - d).total();
    EXPECT_NEAR(change, 2.0 * gradient.dot(d), 1e-11 * std::abs(change)) << range.first << " " << range.last;
    VecX slope = VecX::Zero(z.size());
    objective.add_effort_gradient(goal, objective.cheapest(), slope);
    EXPECT_LT(slope.norm(), 1e-12 * gradient.norm());
    ASSERT_TRUE(objective.metric());
    EXPECT_LT((product - objective.options().effort * objective.times_metric(goal, d)).norm(),
              1e-12 * product.norm());
    EXPECT_LT((objective.over_metric(goal, objective.times_metric(goal, d)) - d).norm(), 1e-12 * d.norm());
  }
}

// Of several moments at which it is met, that at which it is nearest.
TEST(WindowTask, ATargetIsMetWhereItIsNearest) {
  Task task = hung_task(2, kWindowIntervals);
  task.targets[0].tolerance = 0.01;
  task.targets[0].keyframe.candidates = {2, 4, 6};
  const StateSource states = [&](int n) {
    State off = task.start;
    off.x.array() += n == 4 ? 0.001 : 0.004;
    return off;
  };
  const auto met = met_until(task, 0, states, 6);
  ASSERT_TRUE(met);
  EXPECT_EQ(met->state, 4);
  EXPECT_NEAR(met->rms, 0.001 * std::sqrt(3.0), 1e-12);
}

// What counts from a state before the window counts from nowhere in it; from one within, from that.
TEST(WindowTask, ALoopCountsFromWhereTheRunWas) {
  Task task = hung_task(2, kWindowIntervals);
  task.effort = {.automatic = false, .value = 1e-3};
  Keyframe& loop = task.targets[0].keyframe;
  loop.relative_to = 3;
  loop.target.setConstant(0.2);
  loop.velocity_weight = 1.0;
  loop.target_velocity = VecX::Constant(loop.target.size(), 0.5);
  const PreparedTask whole = prepare(std::move(task));
  const VecX z = VecX::Zero(whole.layout->size());
  const auto target_behind = [&](int interval) {
    Trajectory run = rest_until(whole, interval);
    for (std::size_t n = 0; n < run.states.size(); ++n)
      run.states[n].v.setConstant(0.1 * static_cast<double>(n));
    return window_of(whole, {interval, kWindowIntervals}, {run, z, true}).targets.at(0).keyframe;
  };
  const Keyframe behind = target_behind(3), before = target_behind(1);
  EXPECT_FALSE(behind.relative_to);
  EXPECT_EQ(behind.state, 6);
  EXPECT_LT((behind.target - whole.start().x - VecX::Constant(27, 0.2)).norm(), 1e-14);
  EXPECT_LT((behind.target_velocity - VecX::Constant(27, 0.5 + 0.3)).norm(), 1e-14);
  EXPECT_EQ(before.relative_to, 1);
  EXPECT_LT((before.target_velocity - VecX::Constant(27, 0.5)).norm(), 1e-14);
}

// Of positions that do not count nothing is said to be met.
TEST(WindowTask, ATargetOfVelocitiesIsMetByThem) {
  Task task = hung_task(2, kWindowIntervals);
  Keyframe& keyframe = task.targets[0].keyframe;
  keyframe.weight = 0.0;
  keyframe.velocity_weight = 1.0;
  keyframe.target_velocity = VecX::Zero(task.start.v.size());
  keyframe.target += VecX::Ones(keyframe.target.size());
  keyframe.candidates = {2, 4};
  State moving = task.start;
  moving.v.setConstant(0.05);
  const StateSource states = [&](int n) { return n == 4 ? task.start : moving; };
  const auto met = met_until(task, 0, states, 4);
  ASSERT_TRUE(met) << "it rests there";
  EXPECT_EQ(met->state, 4);
  keyframe.target = task.start.x;
  moving.v.setConstant(5.0);
  EXPECT_FALSE(met_until(task, 0, states, 3)) << "it is where nobody asked for it, and moves";
}

// It is measured where it is nearest, whatever a window has come to.
TEST(WindowTask, ATargetWithoutWeightIsNeverMet) {
  Task task = hung_task(2, kWindowIntervals);
  task.targets[0].keyframe.weight = 0.0;
  task.targets[0].keyframe.candidates = {2, 4};
  EXPECT_FALSE(met_until(
      task, 0, [&](int) { return task.start; }, 4));
}

TEST(WindowTask, UnknownsBeforeAnInterval) {
  const PreparedTask whole = smooth_task(Hold::kInterval);
  EXPECT_EQ(unknowns_before(whole, 0), 0);
  EXPECT_EQ(unknowns_before(whole, 2), 2 * whole.layout->size() / kWindowIntervals);
  EXPECT_EQ(unknowns_before(whole, kWindowIntervals), whole.layout->size());
}

}  // namespace
}  // namespace keydrape
