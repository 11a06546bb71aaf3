// Steps without a matrix: what they do to an oscillation, and how long they may be.

#include "core/step/explicit_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdio>

#include "core/energy/attachment.h"
#include "core/energy/family/element_family.h"
#include "core/energy/spring.h"
#include "core/step/simulator.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kMass = 0.3, kStiffness = 60.0;
const double kOmega = std::sqrt(2 * kStiffness / kMass);  // of two masses on a spring

SimulatorOptions explicit_of(ExplicitScheme scheme, double dt) {
  SimulatorOptions options = options_of(dt);
  options.method = StepMethod::kExplicit;
  options.scheme = scheme;
  return options;
}

Model spring_model(double damping) {
  std::vector<std::unique_ptr<Energy>> energies;
  energies.push_back(std::make_unique<ElementFamily<Spring>>(
      "spring", std::vector<Spring>{{{0, 1}, kStiffness, 1.0, damping}}, Spring::Shared{}));
  return Model(VecX::Constant(2, kMass), std::move(energies), {}, Vec3(0, 0, 0));
}

State drawn_out() {
  State start{VecX::Zero(6), VecX::Zero(6)};
  start.x.tail<3>() = 1.1 * Vec3(1, 2, 2) / 3;
  return start;
}

// q + i q'/omega of the spring after each step, whatever a limit says.
std::vector<std::complex<double>> oscillation(ExplicitScheme scheme, double omega_h, int steps) {
  const Model model = spring_model(0.0);
  StepWorkspace work;
  State state = drawn_out();
  const Vec3 along = Vec3(1, 2, 2) / 3;
  std::vector<std::complex<double>> z;
  for (int n = 0; n <= steps; ++n) {
    z.emplace_back(along.dot(at(state.x, 1) - at(state.x, 0)) - 1.0,
                   along.dot(at(state.v, 1) - at(state.v, 0)) / kOmega);
    state = take_stages(model, scheme, state, omega_h / kOmega, 0.0, VecX::Zero(6), work).end;
  }
  return z;
}

// Per step at omega h = 0.2, by the equation of q: q_(n+1) - 2 |z| cos(phase) q_n + |z|^2 q_(n-1) = 0.
TEST(ExplicitStep, TurnsAndGrowsAsItsSchemeSays) {
  struct Case {
    ExplicitScheme scheme;
    double modulus, phase;
  };
  for (const auto& [scheme, modulus, phase] :
       {Case{ExplicitScheme::kEuler, 1.019803903, 0.197395560},
        Case{ExplicitScheme::kSymplectic, 1.0, 0.200334842}, Case{ExplicitScheme::kVerlet, 1.0, 0.200334842},
        Case{ExplicitScheme::kMidpoint, 1.000199980, 0.201317108},
        Case{ExplicitScheme::kRungeKutta4, 0.999999558, 0.199997371}}) {
    const auto z = oscillation(scheme, 0.2, 40);
    for (size_t n = 1; n + 1 < z.size(); ++n) {
      const double a = z[n - 1].real(), b = z[n].real(), c = z[n + 1].real();
      EXPECT_NEAR(c - 2 * modulus * std::cos(phase) * b + modulus * modulus * a, 0.0, 1e-9);
    }
    // The two numbers themselves, from three steps.
    const double a = z[0].real(), b = z[1].real(), c = z[2].real(), d = z[3].real();
    const double determinant = (b * d - c * c) / (a * c - b * b);
    const double trace = (a * d - b * c) / (a * c - b * b);
    EXPECT_NEAR(std::sqrt(determinant), modulus, 2e-9);
    EXPECT_NEAR(std::acos(trace / (2 * std::sqrt(determinant))), phase, 1e-8);
  }
}

// What grows beyond a limit does not below it. (A spring that is drawn out so far is no straight line, which
// ends the growth.)
TEST(ExplicitStep, IsStableUpToItsLimit) {
  struct Case {
    ExplicitScheme scheme;
    double limit;  // omega h
  };
  for (const auto& [scheme, limit] :
       {Case{ExplicitScheme::kSymplectic, 2.0}, Case{ExplicitScheme::kVerlet, 2.0},
        Case{ExplicitScheme::kRungeKutta4, 2.0 * std::sqrt(2.0)}}) {
    const auto largest = [&scheme = scheme](double omega_h) {
      double size = 0.0;
      for (const auto& z : oscillation(scheme, omega_h, 1000)) size = std::max(size, std::abs(z.real()));
      return size;
    };
    EXPECT_LT(largest(0.98 * limit), 1.0) << limit;
    EXPECT_GT(largest(1.05 * limit), 4.0) << limit;
    // Fast beside a second, so that growth within one says nothing.
    EXPECT_NEAR(longest_step(scheme, {1e7, 0.0}) * 1e7, limit, 1e-3 * limit);
  }
}

// A damped motion of ratio z; and those that grow without damping, e-fold in a second at most.
TEST(ExplicitStep, EulerBearsWhatDampingAllows) {
  const double w = 1e7, z = 0.3;
  EXPECT_NEAR(longest_step(ExplicitScheme::kEuler, {w, 2 * z * w}) * w, 2 * z, 1e-4);
  EXPECT_NEAR(longest_step(ExplicitScheme::kEuler, {100.0, 0.0}), 2.0 / (100.0 * 100.0), 1e-6);
  EXPECT_NEAR(longest_step(ExplicitScheme::kMidpoint, {1e6, 0.0}) * 1e6, std::cbrt(8.0 / 1e6), 1e-4);
  EXPECT_NEAR(longest_step(ExplicitScheme::kSymplectic, {w, 2 * z * w}) * w, 2 * (std::sqrt(1 + z * z) - z),
              1e-4);
  EXPECT_EQ(longest_step(ExplicitScheme::kEuler, {0.0, 0.0}), std::numeric_limits<double>::infinity());
}

TEST(ExplicitStep, FindsTheFastestMotion) {
  const double damping = 0.01;
  const Model model = spring_model(damping);
  StepWorkspace work;
  State at_rest = drawn_out();
  at_rest.x /= 1.1;
  const FastestMotion motion = fastest_motion(model, at_rest, 1e-3, 0.0, work);
  EXPECT_NEAR(motion.frequency * motion.frequency, 1.05 * kOmega * kOmega, 1e-9 * kOmega * kOmega);
  EXPECT_NEAR(motion.damping, 1.05 * damping * kOmega * kOmega, 1e-6 * damping * kOmega * kOmega);
}

TEST(ExplicitStep, RefusesToBeTooLong) {
  const Model model = spring_model(0.0);
  StepWorkspace work;
  const double longest =
      longest_step(ExplicitScheme::kSymplectic, fastest_motion(model, drawn_out(), 1e-3, 0.0, work));
  for (const double share : {0.89, 0.91}) {
    const Simulator simulator(model, explicit_of(ExplicitScheme::kSymplectic, share * longest));
    const StepResult step = simulator.step(0, drawn_out(), VecX::Zero(6));
    EXPECT_EQ(step.report.converged(), share < 0.9);
    if (share < 0.9) continue;
    EXPECT_EQ(step.report.end, NewtonEnd::kTooLong);
    EXPECT_NEAR(step.report.residual, share, 1e-3);
  }
}

// Between the steps that look at their length, a pin that gets stiffer.
TEST(ExplicitStep, RefusesWhatBecomesTooLong) {
  const double m = 0.3, k = 60.0;
  Attachment::Shared shared;
  shared.motion.samples = {Vec3(1, 2, 3)};
  shared.strength = Animated<double>({{0.0, 0.0}, {1.0, 10.0}});
  std::vector<std::unique_ptr<Energy>> energies;
  energies.push_back(std::make_unique<ElementFamily<Attachment>>(
      "soft pin", std::vector<Attachment>{{{0}, 0, k, 0.0}}, shared));
  const Model model(VecX::Constant(1, m), std::move(energies), {}, Vec3(0, 0, 0));
  const double limit = longest_step(ExplicitScheme::kSymplectic, {std::sqrt(k / m), 0.0});
  // It is too long from where the pin is (0.9/0.4)^2 times as strong.
  const Simulator simulator(model, explicit_of(ExplicitScheme::kSymplectic, 0.4 * limit));
  State state{Vec3(1.2, 2, 3), Vec3(0, 0, 0)};
  int n = 0;
  for (; n < 50; ++n) {
    StepResult step = simulator.step(n, state, VecX::Zero(3));
    if (!step.report.converged()) {
      EXPECT_EQ(step.report.end, NewtonEnd::kTooLong);
      break;
    }
    state = std::move(step.next);
    EXPECT_LT((state.x - Vec3(1, 2, 3)).norm(), 0.3);
  }
  const double strength = 10 * (n + 1) * simulator.dt();
  EXPECT_NEAR(strength, 0.9 * 0.9 / (0.4 * 0.4) / 1.05, 0.15 * strength);
}

// Between the steps that look at their length, where it shows by what it has done.
TEST(ExplicitStep, SaysOfWhatIsNotFiniteThatItWasTooLong) {
  const Model model = spring_model(0.0);
  const Simulator simulator(model, explicit_of(ExplicitScheme::kSymplectic, 1e200));
  const StepResult step = simulator.step(1, drawn_out(), VecX::Zero(6));
  EXPECT_EQ(step.report.end, NewtonEnd::kTooLong);
  EXPECT_GT(step.report.residual, 1e100);
}

// Positions alone are kept of it.
TEST(ExplicitStep, SymplecticVelocitiesAreThoseOfItsPositionsToTheBit) {
  const Model model = spring_model(0.0);
  const Simulator simulator(model, explicit_of(ExplicitScheme::kSymplectic, 0.3 / kOmega));
  State state = drawn_out();
  for (int n = 0; n < 5; ++n) {
    const StepResult step = simulator.step(n, state, VecX::Constant(6, 0.1));
    EXPECT_EQ(step.next.v, simulator.end_state(state, step.next.x).v);
    state = step.next;
  }
}

// A parabola is within what schemes of second order do exactly.
TEST(ExplicitStep, FallsFreely) {
  const Vec3 g(0.3, -9.81, 1.0), v0(1.0, 2.0, -0.5);
  const ClothDescription cloth = cloth_of(square(4, 0.4), cotton(), g);
  const Model model = build_model(cloth);
  const VecX x0 = stacked(cloth.mesh.positions);
  const double h = 1e-4;
  for (const ExplicitScheme scheme :
       {ExplicitScheme::kVerlet, ExplicitScheme::kMidpoint, ExplicitScheme::kRungeKutta4}) {
    const State start{x0, v0.replicate(model.vertex_count(), 1)};
    State state = start;
    StepWorkspace work;
    for (int n = 0; n < 50; ++n)
      state = take_stages(model, scheme, state, h, n * h, VecX::Zero(x0.size()), work).end;
    const double t = 50 * h;
    for (int i = 0; i < model.vertex_count(); ++i) {
      EXPECT_LE((at(state.x, i) - at(x0, i) - t * v0 - 0.5 * t * t * g).norm(), 1e-12);
      EXPECT_LE((at(state.v, i) - v0 - t * g).norm(), 1e-10);
    }
  }
}

// A mass on a spring whose other end goes evenly: seen from there it swings as ever.
TEST(ExplicitStep, IsOfFourthOrderBesideAPinThatMoves) {
  constexpr double kTime = 0.1, kSpeed = 2.0, kSwing = 0.1;
  HardPin pin{{0}, {{VecX::Zero(3), Vec3(kSpeed * kTime, 0, 0)}, kTime}};
  std::vector<std::unique_ptr<Energy>> energies;
  energies.push_back(std::make_unique<ElementFamily<Spring>>(
      "spring", std::vector<Spring>{{{0, 1}, kStiffness, 1.0, 0.0}}, Spring::Shared{}));
  const Model led(VecX::Constant(2, kMass), std::move(energies), {pin}, Vec3(0, 0, 0));
  const double omega = std::sqrt(kStiffness / kMass);
  const auto error = [&](int steps) {
    StepWorkspace work;
    State state{VecX::Zero(6), VecX::Zero(6)};
    state.x(3) = 1.0 + kSwing;
    state.v(0) = state.v(3) = kSpeed;
    const double h = kTime / steps;
    for (int n = 0; n < steps; ++n)
      state = take_stages(led, ExplicitScheme::kRungeKutta4, state, h, n * h, VecX::Zero(6), work).end;
    EXPECT_NEAR(state.x(0), kSpeed * kTime, 1e-15);
    return std::abs(state.x(3) - (kSpeed * kTime + 1.0 + kSwing * std::cos(omega * kTime)));
  };
  const double once = error(10), halved = error(20);
  EXPECT_LT(once, 1e-4 * kSwing);
  EXPECT_NEAR(std::log2(once / halved), 4.0, 0.2);
}

// A right triangle, as wide as long, that folds before it bears a load: drawn taut along warp or weft alone
// it has omega^2 = k/m, and by the bound of both at once three halves of that.
TEST(ExplicitStep, FindsTheFastestMotionOfWhatIsNotTautYet) {
  constexpr double kLeg = 0.1, kDamping = 0.01;
  TriangleMesh mesh;
  mesh.positions = {{0, 0, 0}, {kLeg, 0, 0}, {0, kLeg, 0}};
  mesh.triangles = {{0, 1, 2}};
  ClothDescription cloth = cloth_of(std::move(mesh), cotton(kDamping), Vec3(0, 0, 0));
  cloth.material.k_shear = 0.0;
  cloth.material.compression.law = Compression::Law::kBuckling;
  const Model model = build_model(cloth);
  const double mass = model.vertex_mass()(0), taut = cloth.material.k_warp / mass;
  EXPECT_NEAR(mass, 0.15 * kLeg * kLeg / 6, 1e-15);
  StepWorkspace work;
  const FastestMotion motion = fastest_motion(model, at_rest_in(cloth), 1e-4, 0.0, work);
  EXPECT_NEAR(motion.frequency * motion.frequency, 1.05 * 1.5 * taut, 1e-6 * taut);
  EXPECT_NEAR(motion.damping, 1.05 * 1.5 * kDamping * taut, 1e-6 * kDamping * taut);
}

}  // namespace
}  // namespace keydrape
