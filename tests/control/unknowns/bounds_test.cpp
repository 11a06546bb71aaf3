// Bounds on control accelerations against closed forms. A free particle, m, N steps of h, one force a step,
// is to be moved by d. The optimum under |u_n| <= u_max is
//   u_n = min(u_max, mu c (N - n)) ,   alpha mu = w (d - sum c (N - n) u_n) ,   c = h^2/m :
// bang early, then the ramp of the unbounded optimum.

#include <gtest/gtest.h>

#include "control/run/force_schedule.h"
#include "control/run/rollout.h"
#include "control/shooting/shooting_iterate.h"

namespace keydrape {
namespace {

constexpr double kMass = 0.1, kStep = 1.0 / 30, kAlpha = 1e-3, kWeight = 1.0;
constexpr int kBoundedSteps = 30;
constexpr double kMaxAcceleration = 0.2;  // [g]; the free optimum peaks at 0.32 g

double lever(int n) { return kStep * kStep / kMass * (kBoundedSteps - n); }  // dx_N/du_n [m/N]

// The forces along d [N], by bisection for mu.
std::vector<double> bounded_optimum(double d, double u_max) {
  double low = 0.0, high = 1e6;
  std::vector<double> u(kBoundedSteps);
  for (int k = 0; k < 200; ++k) {
    const double mu = 0.5 * (low + high);
    double moved = 0.0;
    for (int n = 0; n < kBoundedSteps; ++n) {
      u[n] = std::min(u_max, mu * lever(n));
      moved += lever(n) * u[n];
    }
    (kAlpha * mu < kWeight * (d - moved) ? low : high) = mu;
  }
  return u;
}

struct Particle {
  Model model{VecX::Constant(1, kMass), {}, {}, Animated<Vec3>(Vec3(0, -9.81, 0))};
  Simulator simulator{model, options()};
  State start{Vec3(0.3, 1, -2), Vec3(0.5, 0, 0.1)};
  ControlLayout layout{blocks(), {0}, model.vertex_mass()};
  Vec3 miss_without_force = Vec3(2, -1, 2) / 3.0;  // 1 m, along no axis
  Objective objective{goal(), {keyframe()}, layout, kStep, {}};
  BallBounds bounds = layout.bounds(kMaxAcceleration);
  ShootingProblem problem{simulator, start, layout, objective, size_t{1} << 30, {.bounds = &bounds}};

  static SimulatorOptions options() {
    SimulatorOptions options;
    options.dt = kStep;
    options.newton.tolerance = 1e-13;
    return options;
  }
  static std::vector<int> blocks() {
    std::vector<int> blocks(kBoundedSteps);
    for (int n = 0; n < kBoundedSteps; ++n) blocks[n] = n;
    return blocks;
  }
  // effort/2 mean |a|^2/g_0^2 = alpha/2 sum |u|^2 ; l = 1 m
  static ObjectiveOptions goal() {
    return {1.0, kAlpha * kBoundedSteps * kMass * kMass * kStandardGravity * kStandardGravity};
  }
  Keyframe keyframe() const {
    const State end = rollout(simulator, start, NoForces(), kBoundedSteps).back();
    return {kBoundedSteps, end.x + miss_without_force, VecX::Ones(1), kWeight, 0.0, {}};
  }

  void expect_closed_form(const VecX& z, double tolerance) const {
    const std::vector<double> expected = bounded_optimum(
        miss_without_force.norm(), (1 - 0x1p-22) * kMaxAcceleration * kMass * kStandardGravity);
    ASSERT_LT(expected.back(), expected.front());  // a ramp follows the bang
    VecX u;
    int saturated = 0;
    for (int n = 0; n < kBoundedSteps; ++n) {
      layout.force(z, n, u);
      EXPECT_NEAR((u - expected[n] * miss_without_force).norm(), 0.0, tolerance) << "step " << n;
      EXPECT_LE(u.norm() / (kMass * kStandardGravity), kMaxAcceleration);
      EXPECT_LE(u.cast<float>().norm() / static_cast<float>(kMass * kStandardGravity),
                static_cast<float>(kMaxAcceleration));
      saturated += expected[n] == expected[0];
    }
    EXPECT_GT(saturated, 5);
  }
};

OptimizerOptions exact() {
  OptimizerOptions options;
  options.cg_tolerance = 1e-10;
  options.cg_model_tolerance = 0.0;
  options.max_cg_iterations = 1000;
  options.objective_tolerance = 0.0;
  options.gradient_tolerance = 1e-9;
  return options;
}

const IterationObserver kGoOn = [](const IterationRecord&) { return true; };

TEST(Bounds, ProjectedGaussNewtonFindsTheSaturatedProfile) {
  Particle particle;
  OptimizerOptions options = exact();
  options.max_iterations = 1;  // the model is exact: one step is enough
  auto start = std::make_unique<ShootingIterate>(particle.problem, VecX::Zero(particle.problem.size()));
  const OptimizerResult result =
      minimize_projected_gauss_newton(std::move(start), particle.bounds, options, kGoOn);
  std::cout << result.cg_iterations << " products, gradient " << result.gradient_norm << "\n";
  particle.expect_closed_form(result.z, 1e-7);
}

TEST(Bounds, LbfgsFindsTheSaturatedProfile) {
  Particle particle;
  OptimizerOptions options = exact();
  options.max_evaluations = 2000;
  const OptimizerResult result = minimize_bounded_lbfgs(
      [&](const VecX& z) { return particle.problem.evaluate(z); },
      particle.problem.evaluate(VecX::Zero(particle.problem.size())), particle.bounds, options, kGoOn);
  std::cout << result.evaluations << " evaluations, " << sentence(result.end) << "\n";
  particle.expect_closed_form(result.z, 1e-5);
}

// The feedback of a trial run asks for more than the bound allows: what is applied does not exceed it.
TEST(Bounds, HoldForTheAppliedForceWithFeedback) {
  Particle particle;
  ShootingIterate at(particle.problem, VecX::Zero(particle.problem.size()));
  const std::unique_ptr<BoundedIterate> trial = at.step_to(VecX::Constant(particle.problem.size(), 10.0));
  double longest = 0.0;
  for (int k = 0; k < particle.bounds.count(); ++k)
    longest = std::max(longest, trial->z().segment<3>(3 * k).norm() / particle.bounds.radius(k));
  EXPECT_NEAR(longest, 1.0, 1e-12);
  const auto guided = particle.problem.evaluate_guided(particle.objective.first_goal());
  EXPECT_NEAR(particle.bounds.share_at_bound(guided->z(), particle.bounds.count()), 1.0, 0.7);
  for (int k = 0; k < particle.bounds.count(); ++k)
    EXPECT_LE(guided->z().segment<3>(3 * k).norm(), particle.bounds.radius(k) * (1 + 1e-12));
}

// What was scaled to its bound is within it, and so is nothing on top of a take of such forces.
TEST(Bounds, ContainWhatWasBroughtWithinThem) {
  Particle particle;
  VecX z = VecX::LinSpaced(3 * kBoundedSteps, -1.0, 2.0).array().sin().matrix() * 1e3;
  EXPECT_FALSE(particle.bounds.contain(z));
  particle.bounds.project(z);
  EXPECT_TRUE(particle.bounds.contain(z));
  const ControlForces take(particle.layout, z);
  EXPECT_TRUE(particle.layout.bounds(kMaxAcceleration, &take).contain(VecX::Zero(z.size())));
  z.segment<3>(6) *= 1.0 + 1e-9;
  EXPECT_FALSE(particle.bounds.contain(z));
}

// On top of a take the bound is on the sum of its forces and those of the search.
TEST(Bounds, OnTopOfATakeHoldForTheWhole) {
  Particle particle;
  class Take final : public ForceSchedule {
   public:
    void force(int step, VecX& u) const override {
      u = 0.01 * step * kMass * kStandardGravity * Vec3(0.3, 1, -0.2);
    }
  } take;
  const BallBounds bounds = particle.layout.bounds(kMaxAcceleration, &take);
  ShootingProblem problem(particle.simulator, particle.start, particle.layout, particle.objective,
                          size_t{1} << 30, {.base = &take, .bounds = &bounds});
  VecX z = VecX::Zero(problem.size()), u;
  EXPECT_FALSE(bounds.contain(z));  // its last forces are too large
  bounds.project(z);
  EXPECT_TRUE(bounds.contain(z));
  const OptimizerResult newton =
      minimize_projected_gauss_newton(std::make_unique<ShootingIterate>(problem, z), bounds, exact(), kGoOn);
  const OptimizerResult lbfgs = minimize_bounded_lbfgs([&](const VecX& at) { return problem.evaluate(at); },
                                                       problem.evaluate(z), bounds, exact(), kGoOn);
  EXPECT_LT((newton.z - lbfgs.z).norm(), 1e-2 * newton.z.norm());
  int saturated = 0;
  for (const VecX& found : {newton.z, lbfgs.z}) {
    const ControlForces forces(particle.layout, found, &take);
    for (int n = 0; n < kBoundedSteps; ++n) {
      u.resize(3);
      forces.force(n, u);
      EXPECT_LE(u.norm() / (kMass * kStandardGravity), kMaxAcceleration);
      saturated += u.norm() / (kMass * kStandardGravity) > 0.999 * kMaxAcceleration;
    }
  }
  EXPECT_GT(saturated, 10);
}

TEST(Bounds, WideOnesChangeNothing) {
  Particle particle;
  const BallBounds wide = particle.layout.bounds(1e3);
  OptimizerOptions options = exact();
  options.max_iterations = 1;
  const auto start = [&] {
    return std::make_unique<ShootingIterate>(particle.problem, VecX::Zero(particle.problem.size()));
  };
  const OptimizerResult bounded = minimize_projected_gauss_newton(start(), wide, options, kGoOn);
  const OptimizerResult free = minimize_gauss_newton(start(), options, kGoOn);
  EXPECT_LT((bounded.z - free.z).norm(), 1e-9 * free.z.norm());
}

// Blocks of a fifth of the strength, at the beginning or at the end: with every unknown on its bound nothing
// exceeds the limit, and what is as strong as its neighbours in time comes up to it.
TEST(Bounds, HoldForStrengthsInTime) {
  constexpr int kStrengths = 12, kPerSpan = 3;
  const VecX mass = Eigen::Vector2d(0.1, 0.3);
  const Vec3 along = Vec3(1, 2, 2) / 3;
  for (const bool rises : {true, false}) {
    std::vector<int> blocks(kStrengths);
    std::vector<double> strength(kStrengths, 1.0);
    for (int f = 0; f < kStrengths; ++f) blocks[f] = f;
    for (int f = 0; f < kPerSpan; ++f) strength[rises ? f : kStrengths - 1 - f] = 0.2;
    for (const bool is_smooth : {false, true}) {
      ControlBasis basis;
      if (is_smooth) basis.spline.emplace(kStrengths, kPerSpan);
      const ControlLayout layout(blocks, {0, 1}, mass, {1.0, 0.5}, basis, strength);
      const BallBounds bounds = layout.bounds(kMaxAcceleration);
      VecX z(layout.size());
      for (int k = 0; k < bounds.count(); ++k) z.segment<3>(3 * k) = bounds.radius(k) * along;
      for (int f = 0; f < kStrengths; ++f)
        for (const int k : {0, 1}) {
          const double share = layout.acceleration(z, f, k).norm() / kMaxAcceleration;
          EXPECT_LE(share, 1.0) << "block " << f;
          const bool is_alike = !is_smooth || (kPerSpan <= f && f < kStrengths - kPerSpan);
          EXPECT_TRUE(!is_alike || share > 1.0 - 1e-6) << share << " in block " << f;
        }
    }
  }
}

// A take whose force on one vertex is another in each step.
class TakeOfSteps final : public ForceSchedule {
 public:
  explicit TakeOfSteps(std::vector<double> along_y, int vertex = 0)
      : along_y_(std::move(along_y)), vertex_(vertex) {}
  void force(int step, VecX& u) const override {
    u.setZero();
    u(3 * vertex_ + 1) = along_y_[static_cast<size_t>(step)];
  }

 private:
  std::vector<double> along_y_;  // [N]
  int vertex_;
};

TEST(Bounds, KnowTakesThatChangeWithinABlock) {
  const ControlLayout layout({0, 0, -1, -1, 1, 1}, {0}, VecX::Ones(2));
  EXPECT_TRUE(layout.is_constant_over_blocks(TakeOfSteps({1, 1, 2, 3, 4, 4})));
  EXPECT_FALSE(layout.is_constant_over_blocks(TakeOfSteps({1, 2, 2, 2, 2, 2})));
  EXPECT_FALSE(layout.is_constant_over_blocks(TakeOfSteps({1, 1, 2, 3, 4, 5})));
  EXPECT_TRUE(layout.is_constant_over_blocks(TakeOfSteps({1, 2, 3, 4, 5, 6}, 1))) << "nothing pushes there";
}

}  // namespace
}  // namespace keydrape
