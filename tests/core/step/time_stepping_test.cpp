#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "core/energy/attachment.h"
#include "core/energy/family/element_family.h"
#include "core/energy/spring.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

SimulatorOptions bdf2_of(double dt, double tolerance) {
  SimulatorOptions options = options_of(dt, tolerance);
  options.method = StepMethod::kBdf2;
  return options;
}

TEST(TimeStepping, FreeFallIsTheSumOfImplicitSteps) {
  const double h = 1.0 / 96;
  const Vec3 g(0.3, -9.81, 1.0), v0(1.0, 2.0, -0.5);
  ClothDescription cloth = cloth_of(square(8, 1.0), cotton(0.01), g);
  const Model model = build_model(cloth);
  const VecX x0 = stacked(cloth.mesh.positions);
  constexpr int kSteps = 60;
  const Motion fall = run(model, options_of(h, 1e-12), {x0, v0.replicate(model.vertex_count(), 1)}, kSteps);
  ASSERT_EQ(fall.unconverged(), 0);
  double worst = 0.0;
  for (int n = 1; n <= kSteps; ++n) {
    const Vec3 way = n * h * v0 + g * (h * h * n * (n + 1) / 2);
    const VecX expected = x0 + way.replicate(model.vertex_count(), 1);
    worst = std::max(
        worst, (fall.states[n].x - expected).lpNorm<Eigen::Infinity>() / expected.lpNorm<Eigen::Infinity>());
  }
  std::printf("free fall: worst relative error %.2e\n", worst);
  EXPECT_LE(worst, 1e-12);
}

// BDF2 that begins with a step of implicit Euler: exact but for what that step puts in.
TEST(TimeStepping, FreeFallOfBdf2KeepsTheErrorOfItsFirstStep) {
  const double h = 1.0 / 96;
  const Vec3 g(0.3, -9.81, 1.0), v0(1.0, 2.0, -0.5);
  const ClothDescription cloth = cloth_of(square(8, 1.0), cotton(0.01), g);
  const Model model = build_model(cloth);
  const VecX x0 = stacked(cloth.mesh.positions);
  const Motion fall = run(model, bdf2_of(h, 1e-12), {x0, v0.replicate(model.vertex_count(), 1)}, 60);
  ASSERT_EQ(fall.unconverged(), 0);
  double worst = 0.0, worst_speed = 0.0;
  for (int n = 1; n <= 60; ++n) {
    const double t = n * h;
    const Vec3 way = t * v0 + (0.5 * t * t + 0.75 * h * h * (1 - std::pow(3.0, -n))) * g;
    const VecX expected = x0 + way.replicate(model.vertex_count(), 1);
    const VecX speed = Vec3(v0 + t * g).replicate(model.vertex_count(), 1);
    worst = std::max(
        worst, (fall.states[n].x - expected).lpNorm<Eigen::Infinity>() / expected.lpNorm<Eigen::Infinity>());
    worst_speed = std::max(
        worst_speed, (fall.states[n].v - speed).lpNorm<Eigen::Infinity>() / speed.lpNorm<Eigen::Infinity>());
  }
  std::printf("free fall of BDF2: worst relative error %.2e, of velocities %.2e\n", worst, worst_speed);
  EXPECT_LE(worst, 1e-12);
  EXPECT_LE(worst_speed, 1e-10);
}

// Measures z+ / z of z = q + i q'/omega over 20 steps, against 1 / (1 + i omega h).
void expect_implicit_euler(const std::vector<std::complex<double>>& z, const char* name) {
  double factor_error = 0.0, phase_error = 0.0;
  for (size_t n = 0; n + 1 < z.size(); ++n) {
    const std::complex<double> ratio = z[n + 1] / z[n];
    factor_error = std::max(factor_error, std::abs(std::abs(ratio) - 0.980581));
    phase_error = std::max(phase_error, std::abs(-std::arg(ratio) - 0.197396));
  }
  std::printf("%s: factor off by %.1e, phase off by %.1e\n", name, factor_error, phase_error);
  EXPECT_LE(factor_error, 1e-5);
  EXPECT_LE(phase_error, 1e-5);
}

constexpr double kOmegaH = 0.2;
constexpr int kSwingSteps = 20;

// z of two masses on a spring, let go stretched, in steps of omega h = kOmegaH.
std::vector<std::complex<double>> spring_oscillation(SimulatorOptions options, int steps) {
  const double m = 0.3, k = 60.0, L = 1.0, omega = std::sqrt(2 * k / m);
  std::vector<std::unique_ptr<Energy>> energies;
  energies.push_back(std::make_unique<ElementFamily<Spring>>(
      "spring", std::vector<Spring>{{{0, 1}, k, L, 0.0}}, Spring::Shared{}));
  const Model model(VecX::Constant(2, m), std::move(energies), {}, Vec3(0, 0, 0));
  const Vec3 along = Vec3(1, 2, 2) / 3;
  State start{VecX::Zero(6), VecX::Zero(6)};
  start.x.tail<3>() = 1.1 * L * along;
  options.dt = kOmegaH / omega;
  const Motion motion = run(model, options, start, steps);
  EXPECT_EQ(motion.unconverged(), 0);
  std::vector<std::complex<double>> z;
  for (const State& s : motion.states)
    z.emplace_back(along.dot(at(s.x, 1) - at(s.x, 0)) - L, along.dot(at(s.v, 1) - at(s.v, 0)) / omega);
  return z;
}

TEST(TimeStepping, SpringOscillatesAsImplicitEulerDoes) {
  expect_implicit_euler(spring_oscillation(options_of(1.0, 1e-12), kSwingSteps), "spring");
}

TEST(TimeStepping, SoftPinOscillatesAsImplicitEulerDoes) {
  const double m = 0.3, k = 60.0, omega = std::sqrt(k / m);
  std::vector<std::unique_ptr<Energy>> energies;
  Attachment::Shared shared;
  shared.motion.samples = {Vec3(1, 2, 3)};
  energies.push_back(std::make_unique<ElementFamily<Attachment>>(
      "soft pin", std::vector<Attachment>{{{0}, 0, k, 0.0}}, shared));
  const Model model(VecX::Constant(1, m), std::move(energies), {}, Vec3(0, 0, 0));
  const State start{Vec3(1.2, 2, 3), Vec3(0.5, 0, 0)};
  const Motion motion = run(model, options_of(kOmegaH / omega, 1e-12), start, kSwingSteps);
  ASSERT_EQ(motion.unconverged(), 0);
  std::vector<std::complex<double>> z;
  for (const State& s : motion.states) z.emplace_back(s.x(0) - 1, s.v(0) / omega);
  expect_implicit_euler(z, "soft pin");
}

// z+ / z of BDF2 comes to its principal root, (2 + sqrt(1 + 2 i theta))/(3 - 2 i theta) with theta = omega h,
// as the other one, a third, dies away.
TEST(TimeStepping, SpringOscillatesAsBdf2Does) {
  const std::vector<std::complex<double>> z = spring_oscillation(bdf2_of(1.0, 1e-13), 40);
  for (size_t n = 22; n + 1 < z.size(); ++n) {
    EXPECT_NEAR(std::abs(z[n + 1] / z[n]), 0.999636294, 1e-8);
    EXPECT_NEAR(-std::arg(z[n + 1] / z[n]), 0.197465566, 1e-8);
  }
}

// What turns as a whole is not damped: dissipation lives in conditions, and x* is no shape of cloth.
TEST(TimeStepping, DampingOfBdf2LeavesRigidRotationsAlone) {
  const double h = 1.0 / 96;
  Material damped = cotton(0.0);
  damped.damping = 0.05;
  const ClothDescription cloth = cloth_of(square(6, 0.6), damped, Vec3(0, 0, 0));
  const Model model = build_model(cloth);
  const VecX x0 = stacked(cloth.mesh.positions);
  const VecX centre = VecX(Vec3(0.3, 0.3, 0)).replicate(model.vertex_count(), 1);
  const auto spin = [&](double damping) {
    ClothDescription spun = cloth;
    spun.material.damping = damping;
    const Model of_it = build_model(spun);
    State start{x0, VecX::Zero(x0.size())};
    for (int i = 0; i < of_it.vertex_count(); ++i)
      start.v.segment<3>(3 * i) = Vec3(0, 0, 3.0).cross(at(x0 - centre, i));
    const Motion motion = run(of_it, bdf2_of(h, 1e-11), start, 48);
    EXPECT_EQ(motion.unconverged(), 0);
    return kinetic_energy(of_it, motion.back());
  };
  const double without = spin(0.0), with = spin(0.05);
  std::printf("rotation: kinetic energy %.6f without damping, %.6f with\n", without, with);
  EXPECT_NEAR(with, without, 1e-3 * without);
}

// The order of a run of soft cloth in its time step, for 300, 600, 1200 and 2400 steps.
void expect_order(StepMethod method, double damping, double expected,
                  ExplicitScheme scheme = ExplicitScheme::kSymplectic) {
  // Soft cloth, so that its fastest motion is resolved: a sheet that swings from two corners,
  // pushed sideways.
  Material soft = cotton(0.002);
  soft.k_warp = soft.k_weft = 20.0;
  soft.k_shear = 5.0;
  soft.bend = 1e-3;
  soft.damping = damping;
  ClothDescription cloth = cloth_of(square(6, 0.6), soft, Vec3(0, -9.81, 0));
  const VecX x0 = stacked(cloth.mesh.positions);
  cloth.pins = {held(x0, {42, 48})};
  const Model model = build_model(cloth);
  State start{x0, VecX::Zero(x0.size())};
  for (int i = 0; i < model.vertex_count(); ++i) {
    const Vec3 p = at(x0, i);
    start.v(3 * i + 2) = 2.0 * (0.6 - p.y()) * (1 + p.x());
  }
  constexpr double kTime = 0.15;
  std::vector<VecX> ends;
  for (int steps = 300; steps <= 2400; steps *= 2) {
    SimulatorOptions options = options_of(kTime / steps, 1e-12);
    options.method = method;
    options.scheme = scheme;
    const Motion motion = run(model, options, start, steps);
    ASSERT_EQ(motion.unconverged(), 0);
    ends.push_back(motion.back().x);
  }
  for (size_t i = 0; i + 2 < ends.size(); ++i) {
    const double order = std::log2((ends[i] - ends[i + 1]).norm() / (ends[i + 1] - ends[i + 2]).norm());
    std::printf("order in time: %.4f\n", order);
    EXPECT_NEAR(order, expected, 0.1);
  }
}

TEST(TimeStepping, IsOfFirstOrder) { expect_order(StepMethod::kConverged, 0.002, 1.0); }
TEST(TimeStepping, LinearizedStepsAreOfFirstOrder) { expect_order(StepMethod::kLinearized, 0.002, 1.0); }
TEST(TimeStepping, Bdf2IsOfSecondOrder) { expect_order(StepMethod::kBdf2, 0.0, 2.0); }
TEST(TimeStepping, Bdf2IsOfSecondOrderWithDampingToo) { expect_order(StepMethod::kBdf2, 0.02, 2.0); }
TEST(TimeStepping, ExplicitSchemesHaveTheirOrders) {
  const StepMethod method = StepMethod::kExplicit;
  expect_order(method, 0.002, 1.0, ExplicitScheme::kSymplectic);
  expect_order(method, 0.002, 1.0, ExplicitScheme::kEuler);
  expect_order(method, 0.002, 2.0, ExplicitScheme::kVerlet);
  expect_order(method, 0.002, 2.0, ExplicitScheme::kMidpoint);
  expect_order(method, 0.0, 4.0, ExplicitScheme::kRungeKutta4);
}

}  // namespace
}  // namespace keydrape
