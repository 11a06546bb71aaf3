// Every kind of target: the gradient is exact (Taylor order 1.95 to 2.05), the tangent and the adjoint are
// transposes of each other, and the residuals of one goal are linear in the states.

#include <gtest/gtest.h>

#include <cmath>

#include "control/goal/target_surface.h"
#include "control/run/force_schedule.h"
#include "control/run/rollout.h"
#include "control/search/goal_adaptation.h"
#include "control/shooting/derivative_check.h"
#include "core/cloth/cloth.h"
#include "tests/support/expect_exact.h"
#include "tests/support/wavy_sheet.h"

namespace keydrape {
namespace {

constexpr int kSide = 6, kTargetSteps = 18, kSheetVertices = kSide * kSide;
constexpr double kTargetDt = 1.0 / 60;

// A bent strip with another grid than the cloth's, in front of it; its rim does not cover the cloth.
TriangleMesh scan() {
  TriangleMesh mesh;
  const int nx = 5, ny = 9;
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      const double x = 0.1 + 0.3 * i / (nx - 1), y = -0.55 * j / (ny - 1);
      mesh.positions.emplace_back(x, y, 0.1 + 0.3 * y * y + 0.2 * x * x);
    }
  for (int j = 0; j + 1 < ny; ++j)
    for (int i = 0; i + 1 < nx; ++i) {
      const int a = j * nx + i, b = a + 1, c = a + nx, d = c + 1;
      mesh.triangles.push_back({a, c, b});
      mesh.triangles.push_back({b, c, d});
    }
  return mesh;
}

enum class Kind { kTrack, kSurface, kPoints, kLandmarks, kLoop, kWindow, kMotion, kAll };

struct Target {
  Kind kind;
  std::string name;
};

void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

class TargetKind : public testing::TestWithParam<Target> {
 protected:
  TargetKind()
      : surface_(std::make_shared<const TargetSurface>(scan(), cloth_.mesh.triangles, EIGEN_PI / 2)),
        points_(std::make_shared<const TargetSurface>(points_alone(), std::vector<Triangle>{}, EIGEN_PI)) {
    std::vector<int> blocks(kTargetSteps), active;
    for (int n = 0; n < kTargetSteps; ++n) blocks[n] = n / 2;
    for (int i = 1; i < kSheetVertices; ++i)
      if (i != kSide - 1) active.push_back(i);
    layout_ = std::make_unique<ControlLayout>(blocks, active, model_.vertex_mass());
    const auto objective_of = [&](const std::vector<Keyframe>& keyframes) {
      return std::make_unique<Objective>(ObjectiveOptions{0.7, 1e-3, 0.0, 0.0}, keyframes, *layout_,
                                         2 * kTargetDt, std::vector<Objective::EdgeLength>{});
    };
    // Adapted to a run, as between two iterations.
    const GoalPointer first = objective_of(keyframes())->first_goal();
    goal_ = adapted(*first, rollout(simulator_, start_, NoForces(), kTargetSteps), 0.7).goal;
    objective_ = objective_of(goal_->keyframes);
    problem_ = std::make_unique<ShootingProblem>(simulator_, start_, *layout_, *objective_, size_t{1} << 30);
  }

  static TriangleMesh points_alone() {
    TriangleMesh mesh = scan();
    mesh.triangles.clear();
    return mesh;
  }

  Keyframe pose(int state) const {
    Keyframe pose{state, start_.x, VecX::LinSpaced(kSheetVertices, 0.2, 1.0),
                  0.7,   0.1,      VecX::Constant(3 * kSheetVertices, 0.2)};
    for (int i = 0; i < kSheetVertices; ++i)
      pose.target.segment<3>(3 * i) += Vec3(0.1, 0.05, 0.01 * state + 0.2 * start_.x(3 * i));
    return pose;
  }

  std::vector<Keyframe> keyframes() const {
    const Kind kind = GetParam().kind;
    const auto is = [&](Kind wanted) { return kind == wanted || kind == Kind::kAll; };
    std::vector<Keyframe> list;
    if (is(Kind::kTrack))
      for (int state = 6; state <= kTargetSteps; state += 2) {
        list.push_back(pose(state));
        list.back().target_id = 0;
      }
    if (is(Kind::kSurface)) {
      list.push_back(pose(kTargetSteps));
      list.back().surface = surface_;
    }
    if (is(Kind::kPoints)) {
      list.push_back(pose(kTargetSteps / 2));
      list.back().surface = points_;
    }
    if (is(Kind::kLandmarks)) {
      list.push_back(pose(kTargetSteps));
      list.back().vertex_weight.setZero();
      list.back().vertex_weight[17] = list.back().vertex_weight[30] = 1.0;
    }
    if (is(Kind::kLoop)) {  // from a state that forces have changed: both ends count
      Keyframe loop{kTargetSteps, VecX::Zero(3 * kSheetVertices), VecX::Ones(kSheetVertices), 1.0,
                    1.0,          VecX::Zero(3 * kSheetVertices)};
      loop.relative_to = 5;
      list.push_back(loop);
    }
    if (is(Kind::kWindow)) {
      list.push_back(pose(kTargetSteps / 2));
      list.back().candidates = {kTargetSteps / 2 - 2, kTargetSteps / 2, kTargetSteps / 2 + 2};
    }
    if (is(Kind::kMotion)) {  // places of some vertices, velocities of others
      list.push_back(pose(kTargetSteps - 2));
      list.back().velocity_weight = 0.5;
      list.back().velocity_vertex_weight = VecX::LinSpaced(kSheetVertices, -1.0, 0.5).cwiseMax(0.0);
    }
    return list;
  }

  static SimulatorOptions simulator_options() {
    SimulatorOptions options;
    options.dt = kTargetDt;
    options.newton.tolerance = 1e-14;
    return options;
  }

  ClothDescription cloth_ = test::hung_wavy_sheet(kSide);
  std::shared_ptr<const TargetSurface> surface_, points_;
  Model model_ = build_model(cloth_);
  Simulator simulator_{model_, simulator_options()};
  State start_{stacked(cloth_.mesh.positions), VecX::Zero(3 * kSheetVertices)};
  std::unique_ptr<ControlLayout> layout_;
  GoalPointer goal_;
  std::unique_ptr<Objective> objective_;
  std::unique_ptr<ShootingProblem> problem_;
};

TEST_P(TargetKind, GradientIsExact) {
  const DerivativeCheck check = check_derivatives(*problem_, {});
  test::expect_exact(GetParam().name, check, test::kWithContact);
}

// (K2): seeds of a changed run less those of the run are the seeds of the change, and their product with the
// change is twice what remains of the value beyond its linear part.
TEST_P(TargetKind, SeedsAreLinearInTheStates) {
  Trajectory run = rollout(simulator_, start_, NoForces(), kTargetSteps);
  std::vector<StateVector> change;
  for (int n = 0; n <= kTargetSteps; ++n)
    change.push_back({VecX::LinSpaced(3 * kSheetVertices, -0.1, 0.1 + 0.01 * n),
                      VecX::LinSpaced(3 * kSheetVertices, 0.3 - 0.1 * n, -0.2)});
  const VecX z = VecX::Zero(problem_->size());
  const double before = objective_->value(*goal_, run, z).keyframes;
  const std::vector<StateVector> seeds = objective_->seeds(*goal_, run),
                                 extra = objective_->seeds_of_change(*goal_, change);
  for (int n = 0; n <= kTargetSteps; ++n)
    run.states[n] = {run.states[n].x + change[n].x, run.states[n].v + change[n].v};
  const std::vector<StateVector> changed = objective_->seeds(*goal_, run);
  const double after = objective_->value(*goal_, run, z).keyframes;
  double linear = 0.0, quadratic = 0.0;
  for (int n = 0; n <= kTargetSteps; ++n) {
    ASSERT_EQ(seeds[n].x.size(), extra[n].x.size());
    if (seeds[n].x.size() > 0) {
      EXPECT_LE((changed[n].x - seeds[n].x - extra[n].x).norm(), 1e-13 * (1.0 + changed[n].x.norm())) << n;
      linear += seeds[n].x.dot(change[n].x);
      quadratic += extra[n].x.dot(change[n].x);
    }
    if (seeds[n].v.size() > 0) {
      EXPECT_LE((changed[n].v - seeds[n].v - extra[n].v).norm(), 1e-13 * (1.0 + changed[n].v.norm())) << n;
      linear += seeds[n].v.dot(change[n].v);
      quadratic += extra[n].v.dot(change[n].v);
    }
  }
  EXPECT_GT(quadratic, 0.0);
  EXPECT_NEAR(after, before + linear + 0.5 * quadratic, 1e-12 * after);
}

// Velocities have weights of their own where they are given.
TEST(VelocityWeights, AreThoseOfTheirMap) {
  Keyframe keyframe{1, VecX::Zero(9), Vec3(1, 1, 0), 1.0, 1.0, VecX::Zero(9)};
  VecX v(9);
  v << 1, 0, 0, 2, 0, 0, 0, 0, 3;
  EXPECT_DOUBLE_EQ(velocity_square(keyframe, v), 2.5);
  keyframe.velocity_vertex_weight = Vec3(0, 1, 3);
  EXPECT_DOUBLE_EQ(velocity_square(keyframe, v), (4.0 + 27.0) / 4.0);
  VecX out;
  add_weighted_velocities(keyframe, 8.0, v, out);
  EXPECT_EQ(out, (VecX(9) << 0, 0, 0, 4, 0, 0, 0, 0, 18).finished());
}

INSTANTIATE_TEST_SUITE_P(Targets, TargetKind,
                         testing::Values(Target{Kind::kTrack, "track"}, Target{Kind::kSurface, "surface"},
                                         Target{Kind::kPoints, "points"},
                                         Target{Kind::kLandmarks, "landmarks"}, Target{Kind::kLoop, "loop"},
                                         Target{Kind::kWindow, "window"}, Target{Kind::kMotion, "motion"},
                                         Target{Kind::kAll, "all"}),
                         [](const auto& target) { return target.param.name; });

}  // namespace
}  // namespace keydrape
