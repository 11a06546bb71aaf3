#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "control/shooting/shooting_iterate.h"
#include "core/cloth/cloth.h"

namespace keydrape::test {

inline constexpr double kDt = 1.0 / 48;
inline constexpr int kSteps = 24;

inline SimulatorOptions simulator_options() {
  SimulatorOptions options;
  options.dt = kDt;
  options.newton.tolerance = 1e-10;
  return options;
}

inline std::vector<int> blocks() {
  std::vector<int> blocks(kSteps);
  for (int n = 0; n < kSteps; ++n) blocks[n] = n / 2;
  return blocks;
}

// A square sheet of 0.4 m that hangs by its upper edge and is to swing out.
inline ClothDescription hung_cloth(int side) {
  ClothDescription cloth;
  const double cell = 0.4 / (side - 1);
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i)
      cloth.mesh.positions.emplace_back(i * cell, -j * cell, 0.02 * j * cell * std::sin(9.0 * i * cell));
  for (int j = 0; j + 1 < side; ++j)
    for (int i = 0; i + 1 < side; ++i) {
      const int a = j * side + i, b = a + 1, c = a + side, d = c + 1;
      cloth.mesh.triangles.push_back({a, c, b});
      cloth.mesh.triangles.push_back({b, c, d});
    }
  cloth.material = {0.3, 800, 600, 60, 3e-4, 0.01, 4e-4};
  std::vector<int> top(side);
  VecX x(3 * side);
  for (int i = 0; i < side; ++i) {
    top[i] = i;
    x.segment<3>(3 * i) = cloth.mesh.positions[i];
  }
  cloth.pins = {{top, {{x}, 1.0}}};
  return cloth;
}

inline VecX swung(const ClothDescription& cloth, double angle) {
  VecX x = stacked(cloth.mesh.positions);
  for (Eigen::Index i = 0; i < x.size(); i += 3)
    x.segment<3>(i) = Eigen::AngleAxisd(angle, Vec3::UnitX()) * Vec3(x.segment<3>(i));
  return x;
}

// A search on it, with little effort asked for.
struct Problem {
  Model model;
  Simulator simulator{model, simulator_options()};
  State start;
  ControlLayout layout;
  Objective objective;
  ShootingProblem problem{simulator, start, layout, objective, size_t{1} << 30};

  Problem(Model cloth, State begin, std::vector<int> active, const std::vector<Keyframe>& keyframes,
          double effort = 1e-4)
      : model(std::move(cloth)),
        start(std::move(begin)),
        layout(blocks(), std::move(active), model.vertex_mass()),
        objective({0.5, effort}, keyframes, layout, 2 * kDt, {}) {}
};

// A sheet, and the weight of its vertices but those of the pinned row.
struct Hanging {
  static constexpr int kSide = 5, kVertices = kSide * kSide;
  ClothDescription cloth = hung_cloth(kSide);
  std::vector<int> active;
  VecX weight = VecX::Zero(kVertices);

  Hanging() {
    for (int i = kSide; i < kVertices; ++i) {
      active.push_back(i);
      weight(i) = 1.0;
    }
  }
  State start() const { return {stacked(cloth.mesh.positions), VecX::Zero(3 * kVertices)}; }
  Keyframe keyframe(int state, VecX target) const { return {state, std::move(target), weight, 1.0, 0.0, {}}; }
  Keyframe pose(int state, double angle) const { return keyframe(state, swung(cloth, angle)); }
  Problem problem(const std::vector<Keyframe>& keyframes) const {
    return {build_model(cloth), start(), active, keyframes};
  }
  // Where the cloth is by itself.
  VecX free_positions(int state) const {
    Problem p = problem({pose(kSteps, 0.0)});
    return ShootingIterate(p.problem, VecX::Zero(p.problem.size())).trajectory().states[state].x;
  }
};

// A sheet that is to crumple as it did by forces of which nothing else is known.
inline Problem crumpled_sheet() {
  constexpr int kSide = 9, kVertices = kSide * kSide;
  const ClothDescription cloth = hung_cloth(kSide);
  std::vector<int> active;
  VecX weight = VecX::Zero(kVertices);
  for (int i = kSide; i < kVertices; ++i) {
    active.push_back(i);
    weight(i) = 1.0;
  }
  const State start{stacked(cloth.mesh.positions), VecX::Zero(3 * kVertices)};
  const auto problem = [&](const VecX& target) {
    return Problem(build_model(cloth), start, active, {{kSteps, target, weight, 1.0, 0.0, {}}});
  };
  Problem unknown = problem(start.x);
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> share(-1.0, 1.0);
  VecX z(unknown.problem.size());
  for (Eigen::Index i = 0; i < z.size(); ++i) z[i] = 0.25 * share(random);
  const ShootingIterate crumpled(unknown.problem, z);
  EXPECT_TRUE(crumpled.is_complete());
  return problem(crumpled.trajectory().back().x);
}

}  // namespace keydrape::test
