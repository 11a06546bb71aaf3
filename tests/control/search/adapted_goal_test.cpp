// Goals that are adapted to the run between iterations: sliding keyframes and surfaces of another topology.

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "control/goal/target_surface.h"
#include "control/run/force_schedule.h"
#include "control/run/rollout.h"
#include "control/search/free_particle.h"
#include "control/search/goal_adaptation.h"
#include "control/shooting/shooting_iterate.h"
#include "tests/support/swung_sheet.h"

namespace keydrape {
namespace {

using namespace test;

struct Search {
  OptimizerResult result;
  std::vector<double> objectives;  // at the iterates
  std::vector<GoalChange> changes;
  std::vector<int> states;  // of the keyframes at last
};

// `picks_first`: it begins with the states of (K5), else with those that the keyframes have, adapted.
Search search_of(Problem& p, bool guided, int max_iterations = 12, bool picks_first = true) {
  auto at = std::make_unique<ShootingIterate>(p.problem, VecX::Zero(p.problem.size()));
  if (picks_first) at->measure_by(with_first_states(p.problem, *p.objective.first_goal(), at->trajectory()));
  Search search;
  search.states = at->goal().states();
  GoalAdaptation goal(p.problem, nullptr, [&](const GoalChange& change, const ShootingIterate& run) {
    search.changes.push_back(change);
    search.states = run.goal().states();
  });
  if (guided) at = p.problem.evaluate_guided(at->shared_goal());
  if (guided || !picks_first) goal.adapt_goal_of(*at);
  OptimizerOptions options;
  options.max_iterations = max_iterations;
  options.policy = &goal;
  search.result = minimize_gauss_newton(std::move(at), options, [&](const IterationRecord& record) {
    search.objectives.push_back(record.objective);
    return true;
  });
  return search;
}

// A particle of 0.1 kg; its keyframe may come true at any of the states.
Problem particle(const Vec3& gravity, const State& start, const Vec3& target, int state,
                 std::vector<int> candidates, double effort = 1e-4) {
  Model model(VecX::Constant(1, 0.1), {}, {}, Animated<Vec3>(gravity));
  Keyframe keyframe{state, target, VecX::Ones(1), 3.0, 0.0, {}};
  keyframe.candidates = std::move(candidates);
  return Problem(std::move(model), start, {0}, {keyframe}, effort);
}

// The miss is told of the moment that the goal pursues: between places and speeds the cloth's size decides.
TEST(AdaptedGoal, AMissIsMeasuredWhereTheGoalIs) {
  Keyframe keyframe{1, Vec3::Zero(), VecX::Ones(1), 1.0, 1.0, Vec3::Zero()};
  keyframe.candidates = {1, 2};
  const StateSource states = [](int n) {
    return n == 1 ? State{Vec3(0.05, 0, 0), Vec3(0.10, 0, 0)} : State{Vec3(0.03, 0, 0), Vec3(0.15, 0, 0)};
  };
  for (const double length : {1.0, 2.0}) {
    Keyframe adapted = keyframe;
    adapt(adapted, states, length);
    EXPECT_EQ(adapted.state, length == 1.0 ? 2 : 1);
    const KeyframeMiss miss = measure_miss(keyframe, states, length);
    EXPECT_EQ(miss.state, adapted.state);
    EXPECT_EQ(miss.velocity_rms, states(adapted.state).v.norm());
  }
}

// Of what nothing pulls at the term is 0 anywhere. That it slides is no other goal for the search.
TEST(AdaptedGoal, AKeyframeThatIsOnlyMeasuredIsSoWhereItIsNearest) {
  Keyframe keyframe{1, Vec3::Zero(), VecX::Ones(1), 0.0, 0.0, {}};
  keyframe.candidates = {1, 2, 3};
  Trajectory run{};
  for (const double x : {0.0, 0.05, 0.03, 0.04}) run.states.push_back({Vec3(x, 0, 0), Vec3::Zero()});
  const KeyframeMiss miss = measure_miss(keyframe, states_of(run), 1.0);
  EXPECT_EQ(miss.state, 2);
  EXPECT_DOUBLE_EQ(miss.rms, 0.03);
  const AdaptedGoal next = adapted({{keyframe}, {1.0}}, run, 1.0);
  EXPECT_EQ(next.goal->states(), std::vector<int>{2});
  EXPECT_EQ(next.moved_keyframes, 0);
  keyframe.weight = 1.0;
  EXPECT_EQ(adapted({{keyframe}, {1.0}}, run, 1.0).moved_keyframes, 1);
}

// What a force changes of velocities that count at one of two particles, by the map of the velocities.
TEST(AdaptedGoal, VelocitiesAnswerByTheirOwnWeights) {
  const auto response = [](const VecX& weights) {
    Keyframe keyframe{4, VecX::Zero(6), VecX::Ones(2), 0.0, 1.0, VecX::Zero(6)};
    keyframe.velocity_vertex_weight = weights;
    Problem p(Model(VecX::Constant(2, 0.1), {}, {}, Animated<Vec3>(Vec3(0, 0, 0))),
              State{VecX::Zero(6), VecX::Zero(6)}, {0, 1}, {keyframe});
    return free_particle_response(p.problem, *p.objective.first_goal(), 0, 4);
  };
  EXPECT_GT(response({}), 0.0);
  EXPECT_NEAR(response(Vec2(1.0, 0.0)), 2.0 * response({}), 1e-12 * response({}));
}

TEST(AdaptedGoal, AKeyframeSlidesToWhereTheRunPassesAnyway) {
  const State start{Vec3(0.3, 1, -2), Vec3(0.5, 0, 0.1)};
  const Vec3 gravity(0, -9.81, 0);
  Problem free = particle(gravity, start, Vec3::Zero(), 20, {});
  const Vec3 passed = rollout(free.simulator, start, NoForces(), kSteps).states[15].x;
  Problem p = particle(gravity, start, passed, 20, {11, 13, 15, 17, 20, 22});
  const Search search = search_of(p, false);
  EXPECT_EQ(search.states[0], 15);
  EXPECT_LE(search.result.objective, 1e-25);
}

// (K5) against all that it chooses from: the frame with the least goal, effort included, is the best
// to begin with.
TEST(AdaptedGoal, TheFirstFrameIsTheOneOfLeastGoalForAFreeParticle) {
  const State start{Vec3(0.3, 1, -2), Vec3(0.5, 2.0, 0.1)};
  const Vec3 gravity(0, -9.81, 0), target(0.6, 1.3, -1.7);
  const std::vector<int> states = {5, 8, 11, 14, 17, 20, 23};
  double least = 1e30;
  int best = -1;
  for (const int state : states) {
    Problem fixed = particle(gravity, start, target, state, {});
    const double objective = search_of(fixed, false).result.objective;
    if (objective >= least) continue;
    least = objective;
    best = state;
  }
  Problem p = particle(gravity, start, target, states.back(), states);
  const Search search = search_of(p, false);
  EXPECT_EQ(search.states[0], best);
  EXPECT_NEAR(search.result.objective, least, 1e-9 * least);
  EXPECT_NE(best, states.front());
  EXPECT_NE(best, states.back());
}

// Forces that cost nothing leave nothing anywhere: the first one is that of forces that cost next to nothing.
TEST(AdaptedGoal, TheFirstFrameOfFreeForcesIsThatOfCheapOnes) {
  const State start{Vec3(0.3, 1, -2), Vec3(0.5, 2.0, 0.1)};
  const std::vector<int> states = {5, 8, 11, 14, 17, 20, 23};
  const auto first_state = [&](double effort) {
    Problem p = particle({0, -9.81, 0}, start, {0.6, 1.3, -1.7}, states.back(), states, effort);
    const ShootingIterate free(p.problem, VecX::Zero(p.problem.size()));
    return with_first_states(p.problem, *p.objective.first_goal(), free.trajectory())->states()[0];
  };
  EXPECT_EQ(first_state(0.0), first_state(1e-12));
  EXPECT_NE(first_state(0.0), states.front());
}

// `rate`: at which it turns about its upper edge as it begins [rad/s].
Problem swinging_sheet(const Keyframe& keyframe, double rate = 0.0) {
  const ClothDescription cloth = hung_cloth(7);
  std::vector<int> active;
  for (int i = 7; i < 49; ++i) active.push_back(i);
  VecX v(147);
  for (int i = 0; i < 49; ++i) v.segment<3>(3 * i) = rate * Vec3::UnitX().cross(cloth.mesh.positions[i]);
  return Problem(build_model(cloth), {stacked(cloth.mesh.positions), v}, active, {keyframe});
}

VecX below_the_pins() {
  VecX weight = VecX::Ones(49);
  weight.head(7).setZero();
  return weight;
}

// It swings out by 0.6 rad and is back at the last state, at which the keyframe begins.
TEST(AdaptedGoal, SlidingNeverRaisesTheGoal) {
  Keyframe keyframe{kSteps, swung(hung_cloth(7), 0.5), below_the_pins(), 1.0, 0.0, {}};
  for (int state = 4; state <= kSteps; state += 2) keyframe.candidates.push_back(state);
  int moved = 0;
  for (const bool guided : {false, true}) {
    Problem p = swinging_sheet(keyframe, 3.6);
    const Search search = search_of(p, guided, 12, false);
    EXPECT_GT(search.objectives.size(), 1u);
    for (size_t i = 0; i + 1 < search.objectives.size(); ++i)
      EXPECT_LE(search.objectives[i + 1], search.objectives[i]);
    for (const GoalChange& change : search.changes) {
      EXPECT_LE(change.objective_after, change.objective_before);
      moved += change.moved_keyframes;
    }
  }
  EXPECT_GT(moved, 0) << "else this tests nothing";
}

// A finer sheet with other triangles, bent and larger than the cloth: every vertex comes to lie on it.
TEST(AdaptedGoal, ASurfaceOfAnotherTopologyIsMet) {
  TriangleMesh scan = hung_cloth(12).mesh;
  for (Vec3& x : scan.positions)
    x = Vec3(1.5 * x.x() - 0.1, 1.3 * x.y() * std::cos(0.5),
             -1.3 * x.y() * std::sin(0.5) + 0.3 * x.y() * x.y());
  const TargetSurface surface(scan, hung_cloth(7).mesh.triangles, EIGEN_PI / 2);
  const SurfaceMatch match = surface.match(stacked(hung_cloth(7).mesh.positions));
  Keyframe keyframe{kSteps, match.points, below_the_pins(), 1.0, 0.0, {}};
  keyframe.directions = match.directions;
  keyframe.surface = std::make_shared<const TargetSurface>(surface);
  Problem p = swinging_sheet(keyframe);
  const Search search = search_of(p, true, 6);
  const ShootingIterate best(p.problem, search.result.z);
  const KeyframeMiss miss = best.misses()[0];
  std::cout << "miss " << 1e3 * miss.rms << " mm after " << search.result.evaluations << " runs:";
  for (size_t i = 0; i < search.objectives.size(); ++i) std::cout << " " << search.objectives[i];
  std::cout << "\n";
  EXPECT_LE(miss.rms, 1e-3);
  const VecX& x = best.trajectory().states[kSteps].x;
  const SurfaceMatch on = surface.match(x);
  double sum = 0.0;
  for (int i = 7; i < 49; ++i) sum += (x - on.points).segment<3>(3 * i).squaredNorm();
  EXPECT_NEAR(miss.rms, std::sqrt(sum / 42), 1e-12);  // of the surface as it is, not of points found earlier
  // Each iteration falls from the goal that was adapted before it.
  ASSERT_GE(search.changes.size() + 1, search.objectives.size());
  for (size_t i = 0; i + 1 < search.objectives.size(); ++i)
    EXPECT_LE(search.objectives[i + 1], search.changes[i].objective_after);
}

}  // namespace
}  // namespace keydrape
