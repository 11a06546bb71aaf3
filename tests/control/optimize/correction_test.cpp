// Corrections: steps to where the problem's own knowledge leads, rather than the model of Gauss-Newton. When
// they are tried, what those of a run do, and which weights make them worth while.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "control/search/tolerance_weights.h"
#include "control/shooting/shooting_iterate.h"
#include "tests/support/swung_sheet.h"
#include "tests/support/two_particles.h"

namespace keydrape {
namespace {

using namespace test;

const IterationObserver kGoOn = [](const IterationRecord&) { return true; };

// The model leads slowly downhill, by 2 % an iteration; corrections, as long as there are good ones, halve
// the objective. Or the model's trials are refused.
struct Slope {
  int good_corrections;
  bool model_works = true;
  std::string tried = {};  // m: a step of the model's, c: a correction
};
class SlopePoint final : public Iterate {
 public:
  SlopePoint(Slope& slope, double objective) : slope_(slope), objective_(objective) {
    gradient_(0) = std::sqrt(0.04 * objective);
  }
  const VecX& z() const override { return z_; }
  double objective() const override { return objective_; }
  const VecX& gradient() override { return gradient_; }
  const VecX& local_gradient() override { return gradient_; }
  VecX gauss_newton_product(const VecX& w) override { return w; }
  std::unique_ptr<Iterate> step(const VecX&) override {
    slope_.tried += 'm';
    return std::make_unique<SlopePoint>(slope_, slope_.model_works ? 0.98 * objective_ : 2.0 * objective_);
  }
  std::unique_ptr<Iterate> corrected() override {
    slope_.tried += 'c';
    return std::make_unique<SlopePoint>(slope_,
                                        slope_.good_corrections-- > 0 ? 0.5 * objective_ : 2.0 * objective_);
  }

 private:
  Slope& slope_;
  double objective_;
  VecX z_ = VecX::Zero(1), gradient_ = VecX::Zero(1);
};

OptimizerResult descend(Slope& slope, int evaluations) {
  OptimizerOptions options;
  options.max_evaluations = evaluations;
  double last = std::numeric_limits<double>::infinity();
  return minimize_gauss_newton(std::make_unique<SlopePoint>(slope, 1.0), options,
                               [&](const IterationRecord& record) {
                                 EXPECT_LE(record.objective, last);
                                 last = record.objective;
                                 return true;
                               });
}

TEST(Correction, IsTriedWhereTheModelLeadsNotFarAndForAsLongAsItDoes) {
  Slope slope{3};
  const OptimizerResult result = descend(slope, 9);
  EXPECT_EQ(slope.tried, "mccccmmm");
  EXPECT_EQ(result.evaluations, 9);
  EXPECT_EQ(result.end, OptimizerEnd::kMaxEvaluations);
  EXPECT_NEAR(result.objective, 0.125 * std::pow(0.98, 4), 1e-12);
}

TEST(Correction, IsTriedBeforeMuchShorterSteps) {
  Slope slope{2, false};
  const OptimizerResult result = descend(slope, 100);
  EXPECT_EQ(slope.tried.substr(0, 5), "mcccm") << "the third correction is refused";
  EXPECT_EQ(slope.tried.find('c', 4), std::string::npos) << slope.tried;
  EXPECT_EQ(result.end, OptimizerEnd::kNoDescent);
  EXPECT_EQ(result.objective, 0.25);
}

TEST(Correction, IsNotTriedBeyondTheBudget) {
  Slope slope{100};
  EXPECT_EQ(descend(slope, 2).evaluations, 2);
  EXPECT_EQ(slope.tried, "m");
}

// A free particle at some forces: what the last blocks add takes away what it has missed, exactly.
class CorrectionOfParticle : public testing::Test {
 protected:
  static constexpr double kMass = 0.1, kStep = 1.0 / 96;
  static constexpr int kPerBlock = 4, kBlocks = 12, kCount = kPerBlock * kBlocks;

  static Keyframe at(int state, const Vec3& target) { return {state, target, VecX::Ones(1), 1.0, 0.0, {}}; }

  Objective goal(const std::vector<Keyframe>& keyframes) const {
    return {{1.0, 1e-6}, keyframes, layout_, kPerBlock * kStep, {}};
  }
  Model model_{VecX::Constant(1, kMass), {}, {}, Animated<Vec3>(Vec3(0, -9.81, 0))};
  Simulator simulator_{model_, options_of(kStep, 1e-13)};
  State start_{Vec3(0.3, 1, -2), Vec3(0.5, 0, 0.1)};
  ControlLayout layout_{even_blocks(kCount, kPerBlock), {0}, model_.vertex_mass()};
};

TEST_F(CorrectionOfParticle, LandsOnEveryKeyframeAndLeavesWhatIsBeforeAlone) {
  const int middle = kCount / 2;
  Objective objective = goal({at(middle, Vec3(0.4, 0.9, -2.1)), at(kCount, Vec3(0.2, 1.2, -1.9))});
  ShootingProblem problem(simulator_, start_, layout_, objective, size_t{1} << 30,
                          {.near_enough = {1e-12, 1e-12}});
  ShootingIterate from(problem, some_forces(layout_));
  const auto corrected = from.corrected();
  const auto& run = static_cast<const ShootingIterate&>(*corrected);
  for (const KeyframeMiss& miss : run.misses()) EXPECT_LT(miss.rms, 1e-12);
  EXPECT_GT(from.misses()[0].rms, 0.1);
  const int untouched = middle - problem.landing_steps();
  ASSERT_GT(untouched, kPerBlock);
  for (int n = 0; n <= untouched; ++n)
    EXPECT_EQ(run.trajectory().states[n].x, from.trajectory().states[n].x) << n;
  for (int f = 0; f < untouched / kPerBlock; ++f)
    EXPECT_EQ(run.z().segment<3>(3 * f), from.z().segment<3>(3 * f)) << "block " << f;
  // Its unknowns are its forces.
  const ShootingIterate again(problem, run.z());
  EXPECT_LT((again.trajectory().back().x - run.trajectory().back().x).norm(), 1e-12);
  EXPECT_EQ(problem.work().forward_simulations, 3);
  // Beside them, two trials of every block before a keyframe.
  EXPECT_EQ(problem.work().time_steps, 3 * kCount + 2 * 2 * problem.landing_steps());
}

// Poses at one moment, which trials are not asked to land on: by guidance, which is exact for a particle.
TEST_F(CorrectionOfParticle, GuidesToTwoPosesAtOnce) {
  const Vec3 target(0.2, 1.2, -1.9);
  Objective objective = goal({at(kCount, target), at(kCount, target)});
  ShootingProblem problem(simulator_, start_, layout_, objective, size_t{1} << 30);
  ShootingIterate from(problem, some_forces(layout_));
  EXPECT_GT(from.misses()[0].rms, 0.1);
  EXPECT_LT(static_cast<const ShootingIterate&>(*from.corrected()).misses()[0].rms, 1e-12);
  EXPECT_EQ(problem.work().time_steps, 2 * kCount) << "no trials";
}

TEST_F(CorrectionOfParticle, TakesAwayWhatAVelocityIsOff) {
  Keyframe keyframe = at(kCount, Vec3::Zero());
  keyframe.weight = 0.0;
  keyframe.velocity_weight = 1.0;
  keyframe.target_velocity = Vec3(1, -0.5, 0.2);
  Objective objective = goal({keyframe});
  ShootingProblem problem(simulator_, start_, layout_, objective, size_t{1} << 30);
  ShootingIterate from(problem, some_forces(layout_));
  EXPECT_GT(from.misses()[0].velocity_rms, 0.1);
  EXPECT_LT(static_cast<const ShootingIterate&>(*from.corrected()).misses()[0].velocity_rms, 1e-12);
}

TEST_F(CorrectionOfParticle, StaysWithinBounds) {
  Objective objective = goal({at(kCount, Vec3(0.4, 3.0, -2.1))});
  const BallBounds bounds = layout_.bounds(2.0);
  ShootingProblem problem(simulator_, start_, layout_, objective, size_t{1} << 30, {.bounds = &bounds});
  VecX z = some_forces(layout_);
  bounds.project(z);
  ShootingIterate from(problem, z);
  const auto corrected = from.corrected();
  for (int k = 0; k < bounds.count(); ++k)
    EXPECT_LE(corrected->z().segment<3>(3 * k).norm(), bounds.radius(k) * (1 + 1e-12));
  EXPECT_NE(corrected->z(), z);
}

TEST(Correction, OfClothComesNearer) {
  const Hanging hanging;
  Problem p = hanging.problem({hanging.pose(kSteps, 0.4)});
  std::unique_ptr<Iterate> at = p.problem.evaluate_guided(p.objective.first_goal());
  const auto miss = [&] { return static_cast<ShootingIterate&>(*at).misses()[0].rms; };
  const double steered = miss();
  at = at->corrected();
  const double once = miss();
  at = at->corrected();
  std::printf("steered %.3g mm, corrected once %.3g, twice %.3g\n", 1e3 * steered, 1e3 * once, 1e3 * miss());
  EXPECT_LT(once, 0.2 * steered);
  EXPECT_LT(miss(), 0.8 * once);
}

TEST(Correction, IsMadeWorthItsEffortByTheWeightsOfMissedGoals) {
  const Hanging hanging;
  Problem p = hanging.problem({hanging.pose(kSteps, 0.4)});
  ShootingIterate free(p.problem, VecX::Zero(p.problem.size()));
  const auto nearer = p.problem.evaluate_guided(p.objective.first_goal());
  ToleranceWeights tolerances(p.problem, *p.objective.first_goal(), {{0.1 * nearer->misses()[0].rms}},
                              free.misses());
  const auto set = [&](double factor) {
    const GoalPointer goal = with_factors(*p.objective.first_goal(), {factor});
    free.measure_by(goal);
    nearer->measure_by(goal);
  };
  // The factor at which both are as good.
  set(1.0);
  const double even =
      (nearer->terms().effort - free.terms().effort) / (free.terms().keyframes - nearer->terms().keyframes);
  ASSERT_GT(even, 0.0);
  set(even / 5);
  EXPECT_GT(nearer->objective(), free.objective());
  EXPECT_FALSE(tolerances.accepts_correction(*nearer, free));
  EXPECT_EQ(free.goal().weight_factors[0], even / 5);
  EXPECT_TRUE(tolerances.accepts_correction(free, *nearer));
  EXPECT_NEAR(free.goal().weight_factors[0], 2.0 * even, 1e-6 * even);
  EXPECT_LT(nearer->objective(), free.objective());
  set(10.0 * even);  // worth it as it is: no weight falls for its sake
  EXPECT_TRUE(tolerances.accepts_correction(free, *nearer));
  EXPECT_EQ(free.goal().weight_factors[0], 10.0 * even);
  set(even / 100);  // too dear by far
  EXPECT_FALSE(tolerances.accepts_correction(free, *nearer));
  EXPECT_EQ(free.goal().weight_factors[0], even / 100);
  EXPECT_GT(nearer->objective(), free.objective());
}

}  // namespace
}  // namespace keydrape
