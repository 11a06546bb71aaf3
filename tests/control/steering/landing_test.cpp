// Runs that are landed on their keyframes: folds that are pushed through, and what is left as it was.

#include "control/steering/landing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "control/shooting/shooting_iterate.h"
#include "tests/support/motion.h"
#include "tests/support/swung_sheet.h"

namespace keydrape {
namespace {

using namespace test;

// Two particles without anything between them, of which the second is nobody's concern.
class LandingOfParticles : public testing::Test {
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
  VecX some_forces() const {
    VecX z(layout_.size());
    for (Eigen::Index i = 0; i < z.size(); ++i) z(i) = 0.3 * std::sin(1.7 * static_cast<double>(i));
    return z;
  }
  std::vector<Keyframe> poses() const {
    VecX weight(2);
    weight << 1.0, 0.0;
    return {{kCount / 2, both(Vec3(0.4, 0.9, -2.1), Vec3::Zero()), weight, 1.0, 0.0, {}},
            {kCount, both(Vec3(0.2, 1.2, -1.9), Vec3::Zero()), weight, 1.0, 0.0, {}}};
  }

  Model model_{VecX::Constant(2, kMass), {}, {}, Animated<Vec3>(Vec3(0, -9.81, 0))};
  Simulator simulator_{model_, options_of(kStep, 1e-13)};
  State start_{both(Vec3(0.3, 1, -2), Vec3(1.3, 1, -2)), both(Vec3(0.5, 0, 0.1), Vec3::Zero())};
  ControlLayout layout_{blocks(), {0, 1}, model_.vertex_mass()};
  Objective objective_{{1.0, 1e-6}, poses(), layout_, kPerBlock* kStep, {}};
};

TEST_F(LandingOfParticles, LeavesVerticesWithoutWeightToTheRun) {
  ShootingProblem problem(simulator_, start_, layout_, objective_, size_t{1} << 30);
  ShootingIterate from(problem, some_forces());
  const auto landed = from.corrected();
  for (const KeyframeMiss& miss : static_cast<const ShootingIterate&>(*landed).misses())
    EXPECT_LT(miss.rms, 1e-12);
  for (int f = 0; f < kBlocks; ++f)
    EXPECT_LT((layout_.acceleration(landed->z(), f, 1) - layout_.acceleration(from.z(), f, 1)).norm(), 1e-9)
        << f;
}

TEST_F(LandingOfParticles, ForcesComeOnTopOfThoseOfATake) {
  class Lift final : public ForceSchedule {
   public:
    void force(int, VecX& u) const override { u = both(Vec3(0, 0.5, 0), Vec3(0, 1.5, 0)); }
  };
  const Lift lift;
  ShootingProblem problem(simulator_, start_, layout_, objective_, size_t{1} << 30, {.base = &lift});
  ShootingIterate from(problem, some_forces());
  const auto landed = from.corrected();
  const auto& run = static_cast<const ShootingIterate&>(*landed);
  for (const KeyframeMiss& miss : run.misses()) EXPECT_LT(miss.rms, 1e-12);
  const ShootingIterate again(problem, run.z());
  EXPECT_LT((again.trajectory().back().x - run.trajectory().back().x).norm(), 1e-12);
}

TEST_F(LandingOfParticles, IsHeldToTheRunBetweenKeyframes) {
  ShootingProblem problem(simulator_, start_, layout_, objective_, size_t{1} << 30);
  ShootingIterate from(problem, some_forces());
  const auto landed = from.corrected();
  const auto& run = static_cast<const ShootingIterate&>(*landed);
  const auto off = [&](int n) {
    return (run.trajectory().states[n].x - from.trajectory().states[n].x).head<3>().norm();
  };
  const int landing = kCount - problem.landing_steps();
  ASSERT_GT(landing, kCount / 2 + kPerBlock);
  // Nothing but feedback takes back the velocity with which the first keyframe is left.
  const Vec3 v = (run.trajectory().states[kCount / 2].v - from.trajectory().states[kCount / 2].v).head<3>();
  const double coasting = off(kCount / 2) + kStep * (landing - kCount / 2) * v.norm();
  EXPECT_LT(off(landing), coasting);
}

// A sheet that has crumpled by forces of which nothing else is known: what guidance leaves is dents.
TEST(Landing, PushesThroughFoldsThatGuidanceLeaves) {
  const Hanging hanging;
  const ClothDescription cloth = hung_cloth(9);
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
  const auto guided = p.problem.evaluate_guided(p.objective.first_goal());
  const auto corrected = guided->corrected();
  const auto& landed = static_cast<const ShootingIterate&>(*corrected);
  std::printf("guided %.3g mm (effort %.3g), landed %.3g mm (effort %.3g)\n", 1e3 * guided->misses()[0].rms,
              guided->terms().effort, 1e3 * landed.misses()[0].rms, landed.terms().effort);
  EXPECT_LT(landed.misses()[0].rms, 0.05 * guided->misses()[0].rms);
}

}  // namespace
}  // namespace keydrape
