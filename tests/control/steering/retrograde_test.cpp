// Runs that are steered from behind: where they come to, what they push, and when there are none.

#include "control/steering/retrograde.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "control/shooting/shooting_iterate.h"
#include "core/contact/body/shape/sphere.h"
#include "tests/support/motion.h"
#include "tests/support/swung_sheet.h"

namespace keydrape {
namespace {

using namespace test;

// Two particles without anything between them.
class RetrogradeOfParticles : public testing::Test {
 protected:
  static constexpr double kMass = 0.1, kStep = 1.0 / 96;
  static constexpr int kPerBlock = 4, kBlocks = 12, kCount = kPerBlock * kBlocks;

  static std::vector<int> blocks() {
    std::vector<int> blocks(kCount);
    for (int n = 0; n < kCount; ++n) blocks[n] = n / kPerBlock;
    return blocks;
  }
  static VecX both(const Vec3& a, const Vec3& b) {
    VecX x(6);
    x << a, b;
    return x;
  }
  Objective goal(const std::vector<Keyframe>& keyframes) const {
    return {{1.0, 1e-6}, keyframes, layout_, kPerBlock * kStep, {}};
  }
  std::vector<Keyframe> two_poses(double weight_of_second = 1.0) const {
    VecX weight = VecX::Ones(2);
    weight(1) = weight_of_second;
    return {{kCount / 2, both(Vec3(0.4, 0.9, -2.1), Vec3(1.4, 0.9, -2.1)), weight, 1.0, 0.0, {}},
            {kCount, both(Vec3(0.2, 1.2, -1.9), Vec3(1.2, 1.2, -1.9)), weight, 1.0, 0.0, {}}};
  }

  Model model_{VecX::Constant(2, kMass), {}, {}, Animated<Vec3>(Vec3(0, -9.81, 0))};
  Simulator simulator_{model_, options_of(kStep, 1e-13)};
  State start_{both(Vec3(0.3, 1, -2), Vec3(1.3, 1, -2)), both(Vec3(0.5, 0, 0.1), Vec3::Zero())};
  ControlLayout layout_{blocks(), {0, 1}, model_.vertex_mass()};
};

// What a trial of a block tells of free particles is all there is to know.
TEST_F(RetrogradeOfParticles, LandsOnEveryKeyframe) {
  const Objective objective = goal(two_poses());
  ShootingProblem problem(simulator_, start_, layout_, objective, size_t{1} << 30);
  const ShootingIterate free(problem, VecX::Zero(layout_.size()));
  EXPECT_GT(free.misses()[1].rms, 0.5);
  const auto run = problem.evaluate_retrograde(free, {1e-13, 1e-13});
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
  ShootingProblem problem(simulator_, start_, layout_, objective, size_t{1} << 30);
  const ShootingIterate free(problem, VecX::Zero(layout_.size()));
  const auto run = problem.evaluate_retrograde(free, {1e-13, 1e-13});
  ASSERT_TRUE(run);
  for (const KeyframeMiss& miss : run->misses()) EXPECT_LT(miss.rms, 1e-12);
  for (int f = 0; f < kBlocks; ++f) EXPECT_EQ(layout_.acceleration(run->z(), f, 1), Vec3::Zero()) << f;
}

TEST_F(RetrogradeOfParticles, StaysWithinBounds) {
  const Objective objective = goal(two_poses());
  const double limit = 0.5;
  const BallBounds bounds = layout_.bounds(limit);
  ShootingProblem problem(simulator_, start_, layout_, objective, size_t{1} << 30, {.bounds = &bounds});
  const ShootingIterate free(problem, VecX::Zero(layout_.size()));
  const auto run = problem.evaluate_retrograde(free, {1e-13, 1e-13});
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
  class Lift final : public ForceSchedule {
   public:
    void force(int, VecX& u) const override { u = both(Vec3(0, 0.5, 0), Vec3(0, 1.5, 0)); }
  };
  const Lift lift;
  const Objective objective = goal(two_poses());
  ShootingProblem problem(simulator_, start_, layout_, objective, size_t{1} << 30, {.base = &lift});
  const ShootingIterate take(problem, VecX::Zero(layout_.size()));
  const auto run = problem.evaluate_retrograde(take, {1e-13, 1e-13});
  ASSERT_TRUE(run);
  for (const KeyframeMiss& miss : run->misses()) EXPECT_LT(miss.rms, 1e-12);
  const ShootingIterate again(problem, run->z());
  EXPECT_LT((again.trajectory().back().x - run->trajectory().back().x).norm(), 1e-12);
}

// A sheet that has crumpled by forces of which nothing else is known: what guidance leaves is dents.
TEST(Retrograde, MeetsFoldsThatGuidanceMisses) {
  const Hanging hanging;
  ClothDescription cloth = hung_cloth(9);
  std::vector<int> active;
  VecX weight = VecX::Zero(81);
  for (int i = 9; i < 81; ++i) {
    active.push_back(i);
    weight(i) = 1.0;
  }
  const State start{stacked(cloth.mesh.positions), VecX::Zero(3 * 81)};
  const auto problem = [&](const VecX& target) {
    return Problem(build_model(cloth), start, active, {{kSteps, target, weight, 1.0, 0.0, {}}});
  };
  Problem unknown = problem(start.x);
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> share(-1.0, 1.0);
  VecX z(unknown.problem.size());
  for (Eigen::Index i = 0; i < z.size(); ++i) z[i] = 0.25 * share(random);
  const ShootingIterate crumpled(unknown.problem, z);
  ASSERT_TRUE(crumpled.is_complete());
  Problem p = problem(crumpled.trajectory().back().x);
  const ShootingIterate free(p.problem, VecX::Zero(z.size()));
  const auto guided = p.problem.evaluate_guided(p.objective.first_goal());
  const auto run = p.problem.evaluate_retrograde(*guided, {0.0});
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
  EXPECT_FALSE(p.problem.evaluate_retrograde(*guided, {0.0}));
}

}  // namespace
}  // namespace keydrape
