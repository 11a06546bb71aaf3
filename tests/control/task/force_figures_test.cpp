#include "control/task/force_figures.h"

#include <gtest/gtest.h>

#include <cmath>

#include "control/run/trajectory.h"

namespace keydrape {
namespace {

constexpr int kVertices = 2, kIntervals = 4, kSubsteps = 2, kSteps = kIntervals * kSubsteps;

// Vertex 0 alone is pushed, along x, with so many g_0 in each interval.
class Pushes final : public ForceSchedule {
 public:
  Pushes(VecX mass, std::vector<double> g) : mass_(std::move(mass)), g_(std::move(g)) {}
  void force(int step, VecX& u) const override {
    u.setZero();
    u[0] = g_[step / kSubsteps] * kStandardGravity * mass_[0];
  }

 private:
  VecX mass_;
  std::vector<double> g_;
};

struct Figures {
  VecX mass{{0.3, 0.7}};
  StepGrid grid{.interval_count = kIntervals, .intervals_per_second = 24.0, .substeps = kSubsteps};
  ControlLayout layout{std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3}, {0}, mass};

  ForceFigures of(std::vector<double> g, const IntervalRange& searched = {0, kIntervals}) const {
    return measure_forces(grid, layout, searched, mass, Pushes(mass, std::move(g)));
  }
};

TEST(ForceFigures, EvenForcesHaveNoPeak) {
  const ForceFigures even = Figures().of({2, 2, 2, 2});
  EXPECT_NEAR(even.peak_g, 2.0, 1e-12);
  EXPECT_NEAR(even.rms_g, 2.0, 1e-12);
  EXPECT_NEAR(even.peak_over_rms(), 1.0, 1e-12);
  EXPECT_NEAR(even.largest_over_mean(), 1.0, 1e-12);
  EXPECT_NEAR(even.change, 0.0, 1e-12);
}

TEST(ForceFigures, TellWhereClothIsSnatched) {
  const ForceFigures late = Figures().of({1, -1, 1, 9});
  EXPECT_NEAR(late.peak_g, 9.0, 1e-12);
  EXPECT_NEAR(late.rms_g, std::sqrt(84.0 / 4), 1e-12);
  EXPECT_EQ(late.largest_interval, 3);
  EXPECT_NEAR(late.largest_interval_g, 9.0, 1e-12);
  EXPECT_NEAR(late.mean_interval_g, 3.0, 1e-12);
  EXPECT_NEAR(late.change, (2 + 2 + 8) / 3.0 / 3.0, 1e-12);
}

TEST(ForceFigures, NoForcesHaveNoLargestInterval) {
  const ForceFigures none = Figures().of({0, 0, 0, 0});
  EXPECT_EQ(none.peak_g, 0.0);
  EXPECT_EQ(none.largest_interval, -1);
  EXPECT_EQ(none.peak_over_rms(), 0.0);
  EXPECT_EQ(none.largest_over_mean(), 0.0);
  EXPECT_EQ(none.change, 0.0);
}

// Where forces may act but are zero they count as zero, so that idle frames lower the mean.
TEST(ForceFigures, IdleIntervalsCount) {
  const ForceFigures once = Figures().of({0, 0, 0, 4});
  EXPECT_NEAR(once.rms_g, 2.0, 1e-12);
  EXPECT_NEAR(once.largest_over_mean(), 4.0, 1e-12);
}

// Where a part is searched, nothing may push outside of it; what a take does there counts.
TEST(ForceFigures, IntervalsThatAreNotSearchedAreNotIdle) {
  const ForceFigures part = Figures().of({0, 3, 3, 0}, {1, 3});
  EXPECT_NEAR(part.rms_g, 3.0, 1e-12);
  EXPECT_NEAR(part.largest_over_mean(), 1.0, 1e-12);
  const ForceFigures idle = Figures().of({0, 4, 0, 0}, {1, 3});
  EXPECT_NEAR(idle.rms_g, std::sqrt(8.0), 1e-12);
  EXPECT_NEAR(idle.largest_over_mean(), 2.0, 1e-12);
  const ForceFigures take = Figures().of({2, 0, 0, 0}, {1, 3});
  EXPECT_NEAR(take.rms_g, std::sqrt(4.0 / 3), 1e-12);
}

TEST(FastestVertexTest, NamesVertexAndState) {
  Trajectory run;
  run.states.assign(kSteps + 1, State{VecX::Zero(3 * kVertices), VecX::Zero(3 * kVertices)});
  run.reports.resize(kSteps);
  run.states[0].v[0] = 50.0;  // what the cloth is thrown with is not the run's doing
  run.states[5].v.tail<3>() = Vec3(3, 0, 4);
  const FastestVertex fastest = fastest_vertex(run);
  EXPECT_NEAR(fastest.speed, 5.0, 1e-12);
  EXPECT_EQ(fastest.vertex, 1);
  EXPECT_EQ(fastest.state, 5);
}

}  // namespace
}  // namespace keydrape
