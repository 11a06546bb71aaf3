#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

Vec3 momentum(const Model& model, const State& s) {
  Vec3 p = Vec3::Zero();
  for (int i = 0; i < model.vertex_count(); ++i) p += model.vertex_mass()(i) * at(s.v, i);
  return p;
}

Vec3 angular_momentum(const Model& model, const VecX& x, const VecX& v) {
  Vec3 L = Vec3::Zero();
  for (int i = 0; i < model.vertex_count(); ++i) L += model.vertex_mass()(i) * at(x, i).cross(at(v, i));
  return L;
}

// Loose cloth, bent and stretched, that spins and shakes.
State stirred(const VecX& x0) {
  State s{x0, VecX::Zero(x0.size())};
  for (int i = 0; i < x0.size() / 3; ++i) {
    const Vec3 p = at(x0, i);
    s.x.segment<3>(3 * i) = Vec3(1.02 * p.x(), p.y(), 0.05 * std::sin(6 * p.x() + 2 * p.y()));
    s.v.segment<3>(3 * i) = Vec3(0.3, -0.2, 0.1) + Vec3(1, 2, 3).cross(p) +
                            0.5 * Vec3(std::sin(9 * p.y()), std::cos(7 * p.x()), std::sin(8 * p.x()));
  }
  return s;
}

void expect_momenta_kept(const Vec3& gravity, double damping, BendingModel bending) {
  const double h = 1.0 / 96;
  constexpr int kSteps = 20;
  ClothDescription cloth = cloth_of(square(8, 0.5), cotton(damping), gravity);
  cloth.bending = bending;
  const Model model = build_model(cloth);
  const State start = stirred(stacked(cloth.mesh.positions));
  const Motion motion = run(model, options_of(h, 1e-10), start, kSteps);
  ASSERT_EQ(motion.unconverged(), 0);
  const double mass = model.vertex_mass().sum();
  const double p_scale = mass * std::sqrt(2 * kinetic_energy(model, start) / mass);
  const double L_scale = p_scale * 0.5;
  double p_error = 0.0, L_error = 0.0, v_cross = 0.0;
  for (int n = 0; n < kSteps; ++n) {
    const State &from = motion.states[n], &to = motion.states[n + 1];
    p_error = std::max(p_error, (momentum(model, to) - momentum(model, from) - h * mass * gravity).norm());
    // Internal forces act at the end positions and turn nothing there: sum m x+ x (v+ - v) is gravity's
    // torque, and x+ = x + h v+ turns it into L+ - L = h sum m v+ x v + h sum m x+ x g.
    Vec3 expected = h * angular_momentum(model, to.v, from.v);
    v_cross = std::max(v_cross, expected.norm());
    for (int i = 0; i < model.vertex_count(); ++i)
      expected += h * model.vertex_mass()(i) * at(to.x, i).cross(gravity);
    const Vec3 change = angular_momentum(model, to.x, to.v) - angular_momentum(model, from.x, from.v);
    L_error = std::max(L_error, (change - expected).norm());
  }
  std::printf(
      "g %.2f, damping %.3f: momentum off by %.1e, angular momentum by %.1e (relative); h m v+ x v: %.1e\n",
      gravity.norm(), damping, p_error / p_scale, L_error / L_scale, v_cross / L_scale);
  EXPECT_LE(p_error, 1e-11 * p_scale);
  EXPECT_LE(L_error, 1e-9 * L_scale);
  EXPECT_GE(v_cross, 1e-6 * L_scale) << "the correction must matter, or its sign is not tested";
}

TEST(Conservation, FreeClothKeepsItsMomenta) {
  for (BendingModel bending : {BendingModel::kHinge, BendingModel::kQuadratic})
    for (double damping : {0.0, 0.02}) {
      expect_momenta_kept(Vec3::Zero(), damping, bending);
      expect_momenta_kept(Vec3(1, -9.81, 0.5), damping, bending);
    }
}

TEST(Conservation, EnergyNeverRisesWithoutWork) {
  const double h = 1.0 / 96;
  constexpr int kSteps = 150;
  const Vec3 g(0, 0, -9.81);
  for (double damping : {0.0, 0.01})
    for (BendingModel bending : {BendingModel::kHinge, BendingModel::kQuadratic}) {
      ClothDescription cloth = cloth_of(square(12, 1.0), cotton(damping), g);
      cloth.bending = bending;
      const VecX x0 = stacked(cloth.mesh.positions);
      cloth.pins = {held(x0, {0, 12})};
      const Model model = build_model(cloth);
      State start{x0, VecX::Zero(x0.size())};
      for (int i = 0; i < model.vertex_count(); ++i) start.v(3 * i) = at(x0, i).y();
      const Motion motion = run(model, options_of(h, 1e-10), start, kSteps);
      ASSERT_EQ(motion.unconverged(), 0);
      const auto total = [&](const State& s) {
        double gravitational = 0.0;
        for (int i = 0; i < model.vertex_count(); ++i)
          gravitational -= model.vertex_mass()(i) * g.dot(at(s.x, i));
        return kinetic_energy(model, s) + elastic_energy(model, s, h, 0.0) + gravitational;
      };
      const double scale = model.vertex_mass().sum() * 9.81 * 1.0;
      double largest_rise = -1e300;
      int rises = 0;
      for (int n = 0; n < kSteps; ++n) {
        const double rise = total(motion.states[n + 1]) - total(motion.states[n]);
        largest_rise = std::max(largest_rise, rise);
        rises += rise > 0;
      }
      std::printf(
          "damping %.2f, bending %d: energy %.4f J -> %.4f J, largest change in a step %+.1e of m g L, %d "
          "rises\n",
          damping, static_cast<int>(bending), total(motion.states[0]), total(motion.back()),
          largest_rise / scale, rises);
      EXPECT_LE(largest_rise, 1e-10 * scale);
    }
}

// Across the flow of air at rest, which gives nothing: the cloth turns and glides. A force that lags gives a
// little, less in shorter steps.
TEST(Conservation, LiftAloneDoesLittleWork) {
  const Vec3 gravity(1.5, 0, -9.7);
  ClothDescription cloth = cloth_of(square(2, 1.0), cotton(), gravity);
  cloth.wind = Wind::Shared{Vec3(0, 0, 0), 1.2, 0.0, 1.0};
  const Model model = build_model(cloth);
  const State start{stacked(cloth.mesh.positions), VecX::Zero(3 * model.vertex_count())};
  double gain = 1e300;
  for (const int steps_a_second : {96, 384}) {
    const Motion motion = run(model, options_of(1.0 / steps_a_second), start, 5 * steps_a_second);
    double most = 0.0, moving = 0.0;
    for (const State& state : motion.states) {
      double fallen = 0.0;
      for (int i = 0; i < model.vertex_count(); ++i)
        fallen += model.vertex_mass()(i) * gravity.dot(at(state.x, i) - at(start.x, i));
      most = std::max(most, kinetic_energy(model, state) - fallen);
      moving = std::max(moving, kinetic_energy(model, state));
    }
    std::printf("%d steps a second: %.3g J gained, %.3g J at most\n", steps_a_second, most, moving);
    EXPECT_LT(most, 0.5 * gain);
    EXPECT_LT(most, 0.2 * moving);
    gain = most;
  }
}

}  // namespace
}  // namespace keydrape
