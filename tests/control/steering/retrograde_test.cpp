// Runs that are steered from behind: where they come to, what they push, and when there are none.

#include "control/steering/retrograde.h"

#include <gtest/gtest.h>

#include <limits>

#include "control/shooting/shooting_iterate.h"
#include "core/contact/body/shape/sphere.h"
#include "tests/support/swung_sheet.h"
#include "tests/support/two_particles.h"

namespace keydrape {
namespace {

using namespace test;

using RetrogradeOfParticles = TwoParticles;

// What a trial of a block tells of free particles is all there is to know.
TEST_F(RetrogradeOfParticles, LandsOnEveryKeyframe) {
  const Objective objective = goal(two_poses());
  ShootingProblem problem = make_problem(objective);
  const ShootingIterate free(problem, VecX::Zero(layout_.size()));
  EXPECT_GT(free.misses()[1].rms, 0.5);
  const auto run = problem.evaluate_retrograde(free);
  ASSERT_TRUE(run);
  for (const KeyframeMiss& miss : run->misses()) EXPECT_LT(miss.rms, 1e-12);
  // Its unknowns are its forces.
  const ShootingIterate again(problem, run->z());
  EXPECT_LT((again.trajectory().back().x - run->trajectory().back().x).norm(), 1e-12);
  // Three runs; for this one the way back and two trials of every block are work as well.
  EXPECT_EQ(problem.work().forward_simulations, 3);
  EXPECT_NEAR(problem.work().time_steps, (3 + 3) * kCount, 3 * kPerBlock);
}

TEST_F(RetrogradeOfParticles, LeavesVerticesWithoutWeightAlone) {
  const Objective objective = goal(two_poses(0.0));
  ShootingProblem problem = make_problem(objective);
  const ShootingIterate free(problem, VecX::Zero(layout_.size()));
  const auto run = problem.evaluate_retrograde(free);
  ASSERT_TRUE(run);
  for (const KeyframeMiss& miss : run->misses()) EXPECT_LT(miss.rms, 1e-12);
  for (int f = 0; f < kBlocks; ++f) EXPECT_EQ(layout_.acceleration(run->z(), f, 1), Vec3::Zero()) << f;
}

TEST_F(RetrogradeOfParticles, StaysWithinBounds) {
  const Objective objective = goal(two_poses());
  const double limit = 0.5;
  const BallBounds bounds = layout_.bounds(limit);
  ShootingProblem problem = make_problem(objective, {.bounds = &bounds});
  const ShootingIterate free(problem, VecX::Zero(layout_.size()));
  const auto run = problem.evaluate_retrograde(free);
  ASSERT_TRUE(run);
  double largest = 0.0;
  for (int k = 0; k < bounds.count(); ++k) {
    const double share = run->z().segment<3>(3 * k).norm() / bounds.radius(k);
    EXPECT_LE(share, 1.0 + 1e-12);
    largest = std::max(largest, share);
  }
  EXPECT_GT(largest, 0.999) << "the bounds were to be reached";
}

TEST_F(RetrogradeOfParticles, ForcesComeOnTopOfThoseOfATake) {
  const Lift lift;
  const Objective objective = goal(two_poses());
  ShootingProblem problem = make_problem(objective, {.base = &lift});
  const ShootingIterate take(problem, VecX::Zero(layout_.size()));
  const auto run = problem.evaluate_retrograde(take);
  ASSERT_TRUE(run);
  for (const KeyframeMiss& miss : run->misses()) EXPECT_LT(miss.rms, 1e-12);
  const ShootingIterate again(problem, run->z());
  EXPECT_LT((again.trajectory().back().x - run->trajectory().back().x).norm(), 1e-12);
}

// The least sum of |a|^2 dt that takes a particle from x0, v0 to x* in T is 3 |x* - x0 - T v0|^2/T^3: blocks
// need hardly more.
TEST_F(RetrogradeOfParticles, TakesHardlyMoreThanTheLeastForces) {
  std::vector<Keyframe> poses = two_poses();
  poses.erase(poses.begin());
  poses[0].target = both(Vec3(0.2, 1.2, -1.9), Vec3(1.2, 1.2, -1.9));
  const Model weightless(VecX::Constant(2, kMass), {}, {}, Animated<Vec3>(Vec3::Zero()));
  const Simulator simulator(weightless, options_of(kStep, 1e-13));
  const Objective objective = goal(poses);
  ShootingOptions options;
  options.near_enough = {1e-13};
  ShootingProblem problem(simulator, start_, layout_, objective, size_t{1} << 30, options);
  const ShootingIterate free(problem, VecX::Zero(layout_.size()));
  const auto run = problem.evaluate_retrograde(free);
  ASSERT_TRUE(run);
  double taken = 0.0;
  for (int f = 0; f < kBlocks; ++f)
    for (int i = 0; i < 2; ++i)
      taken += (kStandardGravity * layout_.acceleration(run->z(), f, i)).squaredNorm() * kPerBlock * kStep;
  const double time = kCount * kStep, off = (free.trajectory().back().x - poses[0].target).squaredNorm();
  EXPECT_LT(taken, 1.1 * 3.0 * off / (time * time * time));
}

// What guidance leaves is dents.
TEST(Retrograde, MeetsFoldsThatGuidanceMisses) {
  Problem p = crumpled_sheet();
  const ShootingIterate free(p.problem, VecX::Zero(p.problem.size()));
  const auto guided = p.problem.evaluate_guided(p.objective.first_goal());
  const auto run = p.problem.evaluate_retrograde(*guided);
  ASSERT_TRUE(run);
  std::printf("without forces %.3g mm, guided %.3g mm (effort %.3g), from behind %.3g mm (effort %.3g)\n",
              1e3 * free.misses()[0].rms, 1e3 * guided->misses()[0].rms, guided->terms().effort,
              1e3 * run->misses()[0].rms, run->terms().effort);
  // Trials that are not mixed (R5) get to 0.08.
  EXPECT_LT(run->misses()[0].rms, 0.05 * guided->misses()[0].rms);
}

TEST(Retrograde, SteersToPosesAlone) {
  const Hanging hanging;
  const Keyframe pose = hanging.pose(kSteps, 0.3);
  EXPECT_TRUE(Retrograde::can_steer_to({pose}));
  EXPECT_TRUE(Retrograde::can_steer_to({hanging.pose(kSteps / 2, 0.1), pose}));
  EXPECT_FALSE(Retrograde::can_steer_to({pose, pose})) << "two poses at once";
  Keyframe other = pose;
  other.relative_to = 0;
  EXPECT_FALSE(Retrograde::can_steer_to({other}));
  other = pose;
  other.directions.assign(Hanging::kVertices, Mat3::Identity());
  EXPECT_FALSE(Retrograde::can_steer_to({other}));
  other = pose;
  other.weight = 0.0;
  other.velocity_weight = 1.0;
  EXPECT_FALSE(Retrograde::can_steer_to({other}));
  other.velocity_weight = 0.0;  // only measured
  EXPECT_TRUE(Retrograde::can_steer_to({pose, other}));
  Keyframe first = hanging.pose(kSteps - 1, 0.3), second = pose;
  first.target_id = second.target_id = 0;
  EXPECT_FALSE(Retrograde::can_steer_to({first, second})) << "a track";
}

TEST(Retrograde, FindsNoWayOutOfABody) {
  Hanging hanging;
  const VecX target = swung(hanging.cloth, 0.4);
  // Just beyond its lowest corner.
  const auto ball = std::make_shared<RigidCollider>(
      std::make_unique<Sphere>(target.tail<3>() + Vec3(0, -0.01, 0), 0.03), RigidMotion{});
  hanging.cloth.bodies = {{ball, 0.0, std::numeric_limits<double>::infinity()}};
  Problem p = hanging.problem({hanging.keyframe(kSteps, target)});
  const auto guided = p.problem.evaluate_guided(p.objective.first_goal());
  ASSERT_TRUE(guided->is_complete());
  EXPECT_FALSE(p.problem.evaluate_retrograde(*guided));
}

}  // namespace
}  // namespace keydrape
