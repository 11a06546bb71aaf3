// Cloth laid onto a surface of another topology comes to lie where it belongs, not where it happens to be.

#include "control/steering/laid_poses.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <utility>
#include <vector>

#include "control/goal/target_surface.h"
#include "control/shooting/shooting_iterate.h"
#include "control/shooting/shooting_problem.h"
#include "control/task/prepared_task.h"
#include "tests/support/hung_task.h"

namespace keydrape {
namespace {

using namespace test;

// The hung sheet in folds across its height, no part of it longer than it was.
VecX folded(const VecX& hung) {
  constexpr int kPieces = 4000;
  constexpr double kSide = 0.4, kTurn = 1.2, kFold = 0.2;
  std::vector<Vec2> curve = {Vec2::Zero()};
  for (int k = 0; k < kPieces; ++k) {
    const double angle = kTurn * std::sin(2.0 * EIGEN_PI * (k + 0.5) / kPieces * kSide / kFold);
    curve.emplace_back(curve.back() + kSide / kPieces * Vec2(-std::cos(angle), std::sin(angle)));
  }
  VecX x = hung;
  for (Eigen::Index i = 0; i < x.size(); i += 3) {
    const auto k = static_cast<std::size_t>(std::lround(-hung[i + 1] / kSide * kPieces));
    x.segment<2>(i + 1) = curve.at(k);
  }
  return x;
}

// The same surface with a vertex more in every triangle.
TriangleMesh split(const std::vector<Triangle>& triangles, const VecX& x) {
  TriangleMesh mesh;
  for (Eigen::Index i = 0; i < x.size(); i += 3) mesh.positions.emplace_back(x.segment<3>(i));
  for (const Triangle& t : triangles) {
    const int m = mesh.vertex_count();
    mesh.positions.emplace_back((mesh.positions[t[0]] + mesh.positions[t[1]] + mesh.positions[t[2]]) / 3.0);
    for (int c = 0; c < 3; ++c) mesh.triangles.push_back({t[c], t[(c + 1) % 3], m});
  }
  return mesh;
}

Keyframe on(TriangleMesh surface, const Task& task) {
  Keyframe keyframe = task.targets[0].keyframe;
  keyframe.surface =
      std::make_shared<const TargetSurface>(std::move(surface), task.cloth.mesh.triangles, EIGEN_PI / 2);
  match(keyframe, task.start.x);
  return keyframe;
}

double rms(const VecX& d) { return std::sqrt(3.0 * d.squaredNorm() / static_cast<double>(d.size())); }

constexpr int kCells = 12;
constexpr double kEdge = 0.4 / kCells;

TEST(LaidPoses, FindTheFoldsWhereEachVertexBelongs) {
  const Task task = hung_task(kCells, 12);
  const VecX truth = folded(task.start.x);
  const Keyframe keyframe = on(split(task.cloth.mesh.triangles, truth), task);
  EXPECT_GT(rms(keyframe.target - truth), kEdge) << "nearest points of the hanging sheet";
  const std::optional<VecX> laid = laid_pose(task.cloth, keyframe, task.start.x, 0.0);
  ASSERT_TRUE(laid);
  EXPECT_LT(rms(*laid - truth), 0.2 * kEdge);
}

TEST(LaidPoses, FollowTheClothWhereItHasTurned) {
  Task task = hung_task(kCells, 12);
  task.cloth.pins.clear();
  const Mat3 turn = Eigen::AngleAxisd(2.5, Vec3(1, 2, 0.5).normalized()).toRotationMatrix();
  const auto moved = [&](const VecX& x) {
    return VecX(((turn * x.reshaped(3, x.size() / 3)).colwise() + Vec3(1, 2, 3)).reshaped());
  };
  const VecX truth = moved(folded(task.start.x));
  task.start.x = moved(task.start.x);
  const Keyframe keyframe = on(split(task.cloth.mesh.triangles, truth), task);
  const std::optional<VecX> laid = laid_pose(task.cloth, keyframe, task.start.x, 0.0);
  ASSERT_TRUE(laid);
  EXPECT_LT(rms(*laid - truth), 0.5 * kEdge);
}

// Points beyond the border draw nothing, and the cloth stays as large as it is.
TEST(LaidPoses, KeepTheirSizeOnALargerSurface) {
  Task task = hung_task(kCells, 12);
  task.cloth.pins.clear();
  TriangleMesh plane = split(task.cloth.mesh.triangles, 4.0 * task.start.x);
  const Eigen::AngleAxisd tilt(0.6, Vec3::UnitX());
  for (Vec3& p : plane.positions) p = tilt * (p + Vec3(-0.6, 0.6, 0));
  const std::optional<VecX> laid = laid_pose(task.cloth, on(plane, task), task.start.x, 0.0);
  ASSERT_TRUE(laid);
  const auto at = [&](int i) -> Vec3 { return laid->segment<3>(3 * i); };
  double area = 0.0;
  for (const Triangle& t : task.cloth.mesh.triangles)
    area += 0.5 * (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0])).norm();
  EXPECT_NEAR(area, 0.4 * 0.4, 0.05 * 0.4 * 0.4);
  for (int i = 0; i < task.vertex_count(); ++i) EXPECT_NEAR((tilt.inverse() * at(i)).z(), 0.0, 0.01 * kEdge);
}

// What has no weight is where the rest brings it.
TEST(LaidPoses, DrawWhatHasWeightAlone) {
  Task task = hung_task(kCells, 12);
  TriangleMesh surface = split(task.cloth.mesh.triangles, task.start.x);
  for (Vec3& p : surface.positions) p.z() += 0.05;
  Keyframe keyframe = on(surface, task);
  for (int i = 0; i < task.vertex_count(); ++i)
    if (task.cloth.mesh.positions[i].y() > -0.2) keyframe.vertex_weight[i] = 0.0;
  const std::optional<VecX> laid = laid_pose(task.cloth, keyframe, task.start.x, 0.0);
  ASSERT_TRUE(laid);
  for (int i = 0; i < task.vertex_count(); ++i) {
    const double y = task.cloth.mesh.positions[i].y(), z = (*laid)[3 * i + 2];
    if (y < -0.3) {
      EXPECT_NEAR(z, 0.05, 0.2 * kEdge);
    }
    if (y > -0.1) {
      EXPECT_LT(z, 0.04);
    }
  }
}

TEST(LaidPoses, StandForSurfacesTheyComeMuchNearerTo) {
  Task task = hung_task(kCells, 12);
  task.targets[0].keyframe = on(split(task.cloth.mesh.triangles, folded(task.start.x)), task);
  const PreparedTask prepared = prepare(task);
  ShootingProblem problem(*prepared.simulator, prepared.from(), *prepared.layout, *prepared.objective, 1e9,
                          prepared.shooting_options());
  const auto free = problem.evaluate(VecX::Zero(problem.size()));
  const Trajectory& run = static_cast<const ShootingIterate&>(*free).trajectory();
  const Keyframe& far = prepared.objective->first_goal()->keyframes[0];
  const VecX& there = run.states[far.state].x;
  const Keyframe near = on(split(task.cloth.mesh.triangles, there), task);
  const std::vector<Keyframe> laid = problem.laid_keyframes({near, far}, run);
  EXPECT_TRUE(laid[0].surface) << "the cloth lies there by itself";
  EXPECT_EQ(laid[0].target, near.target);
  ASSERT_FALSE(laid[1].surface);
  EXPECT_TRUE(laid[1].directions.empty() && !laid[1].is_adaptive());
  EXPECT_LT(rms(laid[1].target - folded(task.start.x)), 0.3 * kEdge);

  // One that may slide asks for all of its states: a run that fails among them has no pose to begin with.
  Trajectory broken = run;
  broken.states.resize(far.state + 1);
  broken.reports.resize(far.state);
  Keyframe sliding = far;
  sliding.candidates = {far.state - 1, far.state};
  EXPECT_FALSE(problem.laid_keyframes({sliding}, broken)[0].surface);
  broken.states.resize(far.state);
  broken.reports.resize(far.state - 1);
  broken.reports.back().end = NewtonEnd::kNotFinite;
  sliding.state = far.state - 2;
  EXPECT_TRUE(problem.laid_keyframes({sliding}, broken)[0].surface);
}

}  // namespace
}  // namespace keydrape
