// A free particle under control, m, N steps of h, has a closed-form optimum of
//   J = alpha/2 sum |u|^2 + w/2 |x_N - x*|^2 .
// With c = h^2/m, S = N(N+1)(2N+1)/6 and d = x* - (force-free x_N):
//   u_n = w c d (N - n) / (alpha + w c^2 S),  n = 0 .. N-1,   miss = alpha d / (alpha + w c^2 S)

#include <gtest/gtest.h>

#include "control/run/force_schedule.h"
#include "control/run/rollout.h"
#include "control/shooting/shooting_iterate.h"

namespace keydrape {
namespace {

constexpr double kMass = 0.1, kStep = 1.0 / 30, kAlpha = 1e-3, kWeight = 1.0;
constexpr int kSteps = 30;

struct Particle {
  Model model{VecX::Constant(1, kMass), {}, {}, Animated<Vec3>(Vec3(0, -9.81, 0))};
  Simulator simulator;
  State start{Vec3(0.3, 1, -2), Vec3(0.5, 0, 0.1)};
  ControlLayout layout;
  Vec3 miss_without_force{1, 0, 0};

  explicit Particle(std::vector<double> strength = {})
      : simulator(model, options()),
        layout(blocks(), {0}, model.vertex_mass(), {}, {}, std::move(strength)) {}

  static SimulatorOptions options() {
    SimulatorOptions options;
    options.dt = kStep;
    options.newton.tolerance = 1e-13;
    return options;
  }
  static std::vector<int> blocks() {
    std::vector<int> blocks(kSteps);
    for (int n = 0; n < kSteps; ++n) blocks[n] = n;
    return blocks;
  }

  Objective objective() const {
    const State end = rollout(simulator, start, NoForces(), kSteps).back();
    Keyframe keyframe{kSteps, end.x + miss_without_force, VecX::Ones(1), kWeight, 0.0, {}};
    // effort/2 mean |a|^2/g_0^2 = alpha/2 sum |u|^2  for this effort; l = 1 m
    ObjectiveOptions goal{1.0, kAlpha * kSteps * kMass * kMass * kStandardGravity * kStandardGravity};
    return Objective(goal, {keyframe}, layout, kStep, {});
  }
};

OptimizerResult one_iteration(ShootingProblem& problem) {
  OptimizerOptions options;
  options.cg_tolerance = 1e-14;
  options.cg_model_tolerance = 0.0;
  options.max_iterations = 1;
  return minimize_gauss_newton(problem.evaluate(VecX::Zero(problem.size())), options,
                               [](const IterationRecord&) { return true; });
}

TEST(ClosedForm, GaussNewtonReachesTheOptimumInOneIteration) {
  const Particle particle;
  const Objective objective = particle.objective();
  ShootingProblem problem(particle.simulator, particle.start, particle.layout, objective, 1 << 30);
  const OptimizerResult result = one_iteration(problem);
  const double c = kStep * kStep / kMass, S = kSteps * (kSteps + 1.0) * (2 * kSteps + 1.0) / 6;
  const ShootingIterate optimum(problem, result.z);
  const double miss = kAlpha / (kAlpha + kWeight * c * c * S);
  EXPECT_NEAR(miss, 8.55956e-4, 5e-10);  // the figure that the field quotes for these numbers
  EXPECT_NEAR(optimum.misses()[0].rms, miss, 1e-9);
  VecX u;
  for (int n = 0; n < kSteps; ++n) {
    particle.layout.force(result.z, n, u);
    EXPECT_NEAR(u(0), kWeight * c * (kSteps - n) / (kAlpha + kWeight * c * c * S), 1e-9) << "step " << n;
    EXPECT_NEAR(u(1), 0.0, 1e-9);
  }
}

// With a strength s_n in time a push costs 1/s_n^2 as much: forces are proportional to s_n^2 (N - n).
TEST(ClosedForm, ForcesFollowTheSquareOfTheirStrength) {
  std::vector<double> strength;
  strength.reserve(kSteps);
  for (int n = 0; n < kSteps; ++n) strength.push_back(n < 10 ? 1.0 : 0.25 + 0.02 * n);
  const Particle particle(strength);
  const Objective objective = particle.objective();
  ShootingProblem problem(particle.simulator, particle.start, particle.layout, objective, 1 << 30);
  const OptimizerResult result = one_iteration(problem);
  const double c = kStep * kStep / kMass;
  double S = 0.0;
  for (int n = 0; n < kSteps; ++n) S += strength[n] * strength[n] * (kSteps - n) * (kSteps - n);
  VecX u;
  for (int n = 0; n < kSteps; ++n) {
    particle.layout.force(result.z, n, u);
    const double expected =
        kWeight * c * strength[n] * strength[n] * (kSteps - n) / (kAlpha + kWeight * c * c * S);
    EXPECT_NEAR(u(0), expected, 1e-9) << "step " << n;
  }
}

TEST(ClosedForm, LbfgsReachesTheSameOptimum) {
  const Particle particle;
  const Objective objective = particle.objective();
  ShootingProblem problem(particle.simulator, particle.start, particle.layout, objective, 1 << 30);
  OptimizerOptions options;
  options.gradient_tolerance = 1e-9;
  options.objective_tolerance = 0.0;
  const OptimizerResult result = minimize_lbfgs([&](const VecX& z) { return problem.evaluate(z); },
                                                problem.evaluate(VecX::Zero(problem.size())), options,
                                                [](const IterationRecord&) { return true; });
  const double c = kStep * kStep / kMass, S = kSteps * (kSteps + 1.0) * (2 * kSteps + 1.0) / 6;
  const ShootingIterate optimum(problem, result.z);
  EXPECT_NEAR(optimum.misses()[0].rms, kAlpha / (kAlpha + kWeight * c * c * S), 1e-8);
}

// Stuyck's book (2018, chapter 8) writes the goal as
//   1/2 sum |W_n (q_n - q*_n)|^2 + alpha_n |u_n|^2 ,   q = (x, v).
TEST(Objective, ContainsTheGoalOfTheBook) {
  const Particle particle;
  const double W_x = 3.0, W_v = 0.7, alpha = 0.02;
  const double l = 1.7, g = kStandardGravity;
  Keyframe keyframe{20, Vec3(1, 2, 3), VecX::Ones(1), W_x * W_x * l * l, W_v * W_v * g * l, Vec3(0.1, -4, 1)};
  const ObjectiveOptions goal{l, alpha * kSteps * kMass * kMass * g * g};
  const Objective objective(goal, {keyframe}, particle.layout, kStep, {});
  ShootingProblem problem(particle.simulator, particle.start, particle.layout, objective, 1 << 30);
  const VecX z = VecX::LinSpaced(problem.size(), -0.1, 0.2);
  ShootingIterate at(problem, z);
  const State& state = at.trajectory().states[20];
  double book = 0.5 * W_x * W_x * (state.x - keyframe.target).squaredNorm() +
                0.5 * W_v * W_v * (state.v - keyframe.target_velocity).squaredNorm();
  VecX u;
  for (int n = 0; n < kSteps; ++n) {
    particle.layout.force(z, n, u);
    book += 0.5 * alpha * u.squaredNorm();
  }
  EXPECT_NEAR(at.objective(), book, 1e-12 * book);
}

}  // namespace
}  // namespace keydrape
