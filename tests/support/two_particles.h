#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "control/shooting/shooting_problem.h"
#include "tests/support/motion.h"

namespace keydrape::test {

// Steps in blocks of as many each.
inline std::vector<int> even_blocks(int steps, int per_block) {
  std::vector<int> blocks(steps);
  for (int n = 0; n < steps; ++n) blocks[n] = n / per_block;
  return blocks;
}

// Unknowns of forces that differ from each other.
inline VecX some_forces(const ControlLayout& layout) {
  VecX z(layout.size());
  for (Eigen::Index i = 0; i < z.size(); ++i) z(i) = 0.3 * std::sin(1.7 * static_cast<double>(i));
  return z;
}

// Two particles without anything between them, that are to be in two places each.
class TwoParticles : public testing::Test {
 protected:
  static constexpr double kMass = 0.1, kStep = 1.0 / 96;
  static constexpr int kPerBlock = 4, kBlocks = 12, kCount = kPerBlock * kBlocks;

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
  // Lands exactly by trials.
  ShootingProblem make_problem(const Objective& objective, ShootingOptions options = {}) const {
    options.near_enough = {1e-13, 1e-13};
    return {simulator_, start_, layout_, objective, size_t{1} << 30, options};
  }

  // Forces of a take.
  class Lift final : public ForceSchedule {
   public:
    void force(int, VecX& u) const override { u = both(Vec3(0, 0.5, 0), Vec3(0, 1.5, 0)); }
  };

  Model model_{VecX::Constant(2, kMass), {}, {}, Animated<Vec3>(Vec3(0, -9.81, 0))};
  Simulator simulator_{model_, options_of(kStep, 1e-13)};
  State start_{both(Vec3(0.3, 1, -2), Vec3(1.3, 1, -2)), both(Vec3(0.5, 0, 0.1), Vec3::Zero())};
  ControlLayout layout_{even_blocks(kCount, kPerBlock), {0, 1}, model_.vertex_mass()};
};

}  // namespace keydrape::test
