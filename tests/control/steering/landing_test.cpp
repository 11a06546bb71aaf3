// Runs that are landed on their keyframes: folds that are pushed through, and what is left as it was.

#include "control/steering/landing.h"

#include <gtest/gtest.h>

#include "control/shooting/shooting_iterate.h"
#include "tests/support/swung_sheet.h"
#include "tests/support/two_particles.h"

namespace keydrape {
namespace {

using namespace test;

using LandingOfParticles = TwoParticles;

TEST_F(LandingOfParticles, LeavesVerticesWithoutWeightToTheRun) {
  const Objective objective = goal(two_poses(0.0));
  ShootingProblem problem = make_problem(objective);
  ShootingIterate from(problem, some_forces(layout_));
  const auto landed = from.corrected();
  for (const KeyframeMiss& miss : static_cast<const ShootingIterate&>(*landed).misses())
    EXPECT_LT(miss.rms, 1e-12);
  for (int f = 0; f < kBlocks; ++f)
    EXPECT_LT((layout_.acceleration(landed->z(), f, 1) - layout_.acceleration(from.z(), f, 1)).norm(), 1e-9)
        << f;
}

TEST_F(LandingOfParticles, ForcesComeOnTopOfThoseOfATake) {
  const Lift lift;
  const Objective objective = goal(two_poses());
  ShootingProblem problem = make_problem(objective, {.base = &lift});
  ShootingIterate from(problem, some_forces(layout_));
  const auto landed = from.corrected();
  const auto& run = static_cast<const ShootingIterate&>(*landed);
  for (const KeyframeMiss& miss : run.misses()) EXPECT_LT(miss.rms, 1e-12);
  const ShootingIterate again(problem, run.z());
  EXPECT_LT((again.trajectory().back().x - run.trajectory().back().x).norm(), 1e-12);
}

TEST_F(LandingOfParticles, IsHeldToTheRunBetweenKeyframes) {
  const Objective objective = goal(two_poses());
  ShootingProblem problem = make_problem(objective);
  ShootingIterate from(problem, some_forces(layout_));
  const auto landed = from.corrected();
  const auto& run = static_cast<const ShootingIterate&>(*landed).trajectory().states;
  const auto& before = from.trajectory().states;
  const int left = kCount / 2, landing = kCount - problem.landing_steps();
  ASSERT_GT(landing, left + kPerBlock);
  // Without feedback what is off where the first keyframe is left goes on, and grows.
  const VecX coasting =
      run[left].x - before[left].x + kStep * (landing - left) * (run[left].v - before[left].v);
  const double share = (run[landing].x - before[landing].x).norm() / coasting.norm();
  std::printf("%.3g of what it would be\n", share);
  EXPECT_LT(share, 0.8);
}

TEST(Landing, PushesThroughFoldsThatGuidanceLeaves) {
  Problem p = crumpled_sheet();
  const auto guided = p.problem.evaluate_guided(p.objective.first_goal());
  const auto corrected = guided->corrected();
  const auto& landed = static_cast<const ShootingIterate&>(*corrected);
  std::printf("guided %.3g mm (effort %.3g), landed %.3g mm (effort %.3g)\n", 1e3 * guided->misses()[0].rms,
              guided->terms().effort, 1e3 * landed.misses()[0].rms, landed.terms().effort);
  EXPECT_LT(landed.misses()[0].rms, 0.05 * guided->misses()[0].rms);
}

}  // namespace
}  // namespace keydrape
