// A time step whose matrix is singular has no derivatives. That is a value: the run stands, and a search says
// why it went no further.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "control/derivatives/run_sweeps.h"
#include "control/shooting/shooting_iterate.h"
#include "core/energy/attachment.h"
#include "core/energy/family/element_family.h"

namespace keydrape {
namespace {

constexpr double kParticleDt = 1.0 / 32;
constexpr int kParticleSteps = 5, kSingularStep = 2;

// A particle of 1 kg at rest. In one step a force pushes it away from there that takes all of M/dt^2: H = 0.
struct Particle {
  Model model{VecX::Ones(1), pushed_away(), {}, Animated<Vec3>(Vec3::Zero())};
  Simulator simulator{model, options()};
  State start{VecX::Zero(3), VecX::Zero(3)};

  static std::vector<std::unique_ptr<Energy>> pushed_away() {
    Attachment::Shared shared;
    shared.motion.samples = {VecX::Zero(3)};
    shared.begin_time = (kSingularStep + 0.5) * kParticleDt;
    shared.end_time = (kSingularStep + 1.5) * kParticleDt;
    std::vector<std::unique_ptr<Energy>> energies;
    energies.push_back(std::make_unique<ElementFamily<Attachment>>(
        "attachment", std::vector<Attachment>{{{0}, 0, -1.0 / (kParticleDt * kParticleDt), 0.0}}, shared));
    return energies;
  }
  static SimulatorOptions options() {
    SimulatorOptions options;
    options.dt = kParticleDt;
    return options;
  }
  Trajectory at_rest() const {
    StepReport report;
    report.end = NewtonEnd::kMinimum;
    return {
        std::vector<State>(kParticleSteps + 1, start), std::vector<StepReport>(kParticleSteps, report), {}};
  }
};

TEST(SingularStep, EndsEverySweepAndIsNamed) {
  const Particle particle;
  const Trajectory run = particle.at_rest();
  std::vector<StateVector> seeds(kParticleSteps + 1);
  seeds[kParticleSteps] = {VecX::Ones(3), VecX::Ones(3)};
  const StateVector change{VecX::Ones(3), VecX::Zero(3)};
  for (const size_t budget : {size_t{0}, size_t{1} << 30}) {
    LinearizedTrajectory linearized(particle.simulator, run, budget);
    EXPECT_FALSE(adjoint(linearized, seeds));
    EXPECT_FALSE(tangent(linearized, {std::vector<VecX>(kParticleSteps), {}, change}));
    EXPECT_FALSE(adjoint(linearized, seeds)) << "again";
    ASSERT_TRUE(linearized.failure());
    EXPECT_EQ(sentence(*linearized.failure()), "the matrix of time step 2 is singular");
  }
}

// The steps before it have derivatives as any.
TEST(SingularStep, IsTheOnlyOneWithoutDerivatives) {
  const Particle particle;
  Trajectory run = particle.at_rest();
  run.states.resize(kSingularStep + 1);
  run.reports.resize(kSingularStep);
  LinearizedTrajectory linearized(particle.simulator, run, 0);
  const auto change =
      tangent(linearized, {std::vector<VecX>(kSingularStep), {}, {VecX::Ones(3), VecX::Zero(3)}});
  ASSERT_TRUE(change);
  EXPECT_EQ(change->back().x, VecX::Ones(3));  // nothing pushes
  EXPECT_FALSE(linearized.failure());
}

TEST(SingularStep, LeavesARunWithoutAGradient) {
  const Particle particle;
  const ControlLayout layout({0, 0, 0, 0, 0}, {0}, particle.model.vertex_mass());
  const Objective objective({1.0}, {{kParticleSteps, Vec3(1, 0, 0), VecX::Ones(1), 1.0, 0.0, {}}}, layout,
                            kParticleSteps * kParticleDt, {});
  struct Listener final : ShootingObserver {
    void on_no_derivatives(const DerivativeFailure& failure) override { step = failure.step; }
    int step = -1;
  } listener;
  ShootingProblem problem(particle.simulator, particle.start, layout, objective, 1 << 20,
                          {.observer = &listener});
  auto rest = std::make_unique<ShootingIterate>(problem, VecX::Zero(problem.size()), nullptr,
                                                particle.at_rest(), objective.first_goal());
  ASSERT_TRUE(std::isfinite(rest->objective()));
  EXPECT_FALSE(rest->gradient().allFinite());
  EXPECT_EQ(listener.step, kSingularStep);
  EXPECT_FALSE(rest->image(VecX::Ones(problem.size())).allFinite());
  EXPECT_TRUE(std::isinf(rest->step(VecX::Ones(problem.size()))->objective()));
  const OptimizerResult result =
      minimize_gauss_newton(std::move(rest), {}, [](const IterationRecord&) { return true; });
  EXPECT_EQ(result.end, OptimizerEnd::kNoGradient);
  EXPECT_EQ(result.z, VecX::Zero(problem.size()));
}

}  // namespace
}  // namespace keydrape
