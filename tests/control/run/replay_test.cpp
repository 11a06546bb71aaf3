// A run under the forces of a take keeps to the take's states, to the bit, for as long as they
// solve its steps.

#include <gtest/gtest.h>

#include <numeric>

#include "control/run/rollout.h"
#include "control/unknowns/control_layout.h"
#include "core/cloth/cloth.h"
#include "tests/support/meshes.h"

namespace keydrape {
namespace {

constexpr int kSteps = 12;
constexpr double kDt = 1.0 / 60;

ClothDescription hung_sheet() {
  ClothDescription cloth;
  cloth.mesh = test::square(6, 0.4);
  cloth.material = {0.3, 800, 600, 60, 3e-4, 0.01, 4e-4};
  VecX corners(6);
  corners << cloth.mesh.positions[0], cloth.mesh.positions[6];
  cloth.pins = {{{0, 6}, {{corners}, 1.0}}};
  return cloth;
}

SimulatorOptions options() {
  SimulatorOptions options;
  options.dt = kDt;
  return options;
}

// Forces along a take that is not what a run under them finds by itself: positions that a coarser tolerance
// has left, say; each still solves its step.
class Take final : public ForceSchedule {
 public:
  std::vector<VecX> positions;
  void force(int step, VecX& u) const override {
    u.setZero();
    u[3 * 40 + 2] = 0.01 * (step % 3);
  }
  const VecX* recorded_end(int step) const override { return &positions[step + 1]; }
};

class TakenStep : public testing::Test {
 protected:
  TakenStep() : model_(build_model(hung_sheet())), simulator_(model_, options()) {
    const std::vector<Vec3>& rest = hung_sheet().mesh.positions;
    start_.x.resize(3 * static_cast<Eigen::Index>(rest.size()));
    for (size_t i = 0; i < rest.size(); ++i) start_.x.segment<3>(3 * i) = rest[i];
    start_.v = VecX::Zero(start_.x.size());
    // Newton, told where to begin, ends elsewhere within its tolerance.
    take_.positions.push_back(start_.x);
    State at = start_;
    VecX u(start_.x.size());
    for (int n = 0; n < kSteps; ++n) {
      take_.force(n, u);
      const VecX near = simulator_.step(n, at, u, {}).next.x + VecX::LinSpaced(at.x.size(), -1e-4, 1e-4);
      at = simulator_.step(n, at, u, {nullptr, &near}).next;
      take_.positions.push_back(at.x);
    }
  }

  Trajectory run(const ForceSchedule& forces) const { return rollout(simulator_, start_, forces, kSteps); }
  int differing_from_take(const Trajectory& trajectory) const {
    int n = 0;
    while (n <= kSteps && trajectory.states[n].x == take_.positions[n]) ++n;
    return n;
  }

  Model model_;
  Simulator simulator_;
  State start_;
  Take take_;
};

TEST_F(TakenStep, RepeatsTheTakeToTheBit) {
  const Trajectory again = run(take_);
  EXPECT_EQ(again.replayed_steps, kSteps);
  EXPECT_EQ(differing_from_take(again), kSteps + 1);
  EXPECT_EQ(again.first_failure(), kSteps);
  for (const StepReport& report : again.reports) {
    EXPECT_LE(report.residual, options().newton.tolerance);
    EXPECT_EQ(report.iterations, 0);
  }
  // Its forces alone do not.
  class Alone final : public ForceSchedule {
   public:
    explicit Alone(const Take& take) : take_(take) {}
    void force(int step, VecX& u) const override { take_.force(step, u); }

   private:
    const Take& take_;
  };
  const Trajectory alone = run(Alone(take_));
  EXPECT_EQ(alone.replayed_steps, 0);
  EXPECT_LE(differing_from_take(alone), kSteps);
  EXPECT_LT((alone.back().x - take_.positions.back()).lpNorm<Eigen::Infinity>(), 1e-6);
}

TEST_F(TakenStep, EndsWhereThePositionsSolveNothing) {
  take_.positions[5][3 * 20 + 1] += 1e-5;  // after the fifth step
  const Trajectory again = run(take_);
  EXPECT_EQ(again.replayed_steps, 4);
  EXPECT_EQ(again.first_failure(), kSteps);
}

TEST_F(TakenStep, EndsWhereAPinHasMoved) {
  take_.positions[3][0] += 1e-9;
  EXPECT_EQ(run(take_).replayed_steps, 2);
}

// Unknowns on top of a take: the run leaves it where they begin to push.
TEST_F(TakenStep, EndsWhereForcesAreAdded) {
  std::vector<int> blocks(kSteps, -1);
  for (int n = 6; n < kSteps; ++n) blocks[n] = n - 6;
  const ControlLayout layout(blocks, {20, 30, 40}, model_.vertex_mass());
  VecX z = VecX::Zero(layout.size());
  EXPECT_EQ(run(ControlForces(layout, z, &take_)).replayed_steps, kSteps);
  z.tail(9).setConstant(0.1);  // in the last block
  const Trajectory pushed = run(ControlForces(layout, z, &take_));
  EXPECT_EQ(pushed.replayed_steps, kSteps - 1);
  EXPECT_EQ(differing_from_take(pushed), kSteps);
}

// As states from a file are: without forces. Steps behind them bring their own.
TEST_F(TakenStep, WhatARunLacksOfItsForcesIsRecalled) {
  SimulatorOptions along_the_way = options();
  along_the_way.method = StepMethod::kPrefactored;
  const Simulator simulator(model_, along_the_way);
  ASSERT_TRUE(simulator.differentiates_way());
  std::vector<int> blocks(kSteps);
  std::iota(blocks.begin(), blocks.end(), 0);
  const ControlLayout layout(blocks, {20, 30, 40}, model_.vertex_mass());
  const VecX z = VecX::LinSpaced(layout.size(), -0.01, 0.01);
  const ControlForces forces(layout, z);
  const Trajectory whole = rollout(simulator, start_, forces, kSteps);
  ASSERT_EQ(whole.forces.size(), static_cast<size_t>(kSteps));
  Trajectory parts = rollout(simulator, start_, forces, kSteps / 2);
  parts.forces.clear();
  recall_forces(simulator, forces, parts);
  continue_rollout(simulator, parts, forces, kSteps);
  EXPECT_EQ(parts.forces, whole.forces);
  Trajectory of_newton = rollout(simulator_, start_, forces, 2);
  recall_forces(simulator_, forces, of_newton);
  EXPECT_TRUE(of_newton.forces.empty());
}

}  // namespace
}  // namespace keydrape
