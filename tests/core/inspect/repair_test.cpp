#include "core/inspect/repair.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/contact/body/shape/sphere.h"
#include "core/inspect/overlap.h"
#include "tests/support/crossed_sheets.h"
#include "tests/support/meshes.h"

namespace keydrape {
namespace {

constexpr int kFoldedCells = 10;
constexpr double kFoldedSide = 0.4;

ClothDescription cloth() {
  ClothDescription description;
  description.mesh = test::square(kFoldedCells, kFoldedSide);
  description.material = {0.2, 500, 500, 50, 1e-4, 0.01, 1e-3};
  description.contact.self = true;
  return description;
}

// The far half lies `gap` above the near one, slightly shifted.
VecX folded(const ClothDescription& description, double gap) {
  VecX x = stacked(description.mesh.positions);
  for (Eigen::Index i = 0; i < x.size(); i += 3) {
    const double beyond = x(i + 1) - 0.5 * kFoldedSide;
    if (beyond > 1e-9) x.segment<3>(i) += Vec3(0.013, 0.007 - 2 * beyond, gap);
  }
  return x;
}

void expect_mended(const ClothDescription& description, const VecX& x, double farthest) {
  const RepairResult repair = repair_start(description, x);
  EXPECT_TRUE(repair.is_clean);
  EXPECT_GT(repair.passes, 0);
  EXPECT_GT(repair.displacement, 0.0);
  EXPECT_LT(repair.displacement, farthest);
  EXPECT_NEAR(((repair.x - x).segment<3>(3 * repair.farthest_vertex)).norm(), repair.displacement, 1e-15);
  const std::vector<char> none(description.mesh.vertex_count(), 0);
  EXPECT_TRUE(overlaps_with_bodies(description, repair.x, 0.0, none).empty());
  EXPECT_TRUE(overlap_with_itself(description, repair.x, none).is_clean());
  std::cout << repair.passes << " passes, moved by " << repair.displacement << " m\n";
}

TEST(RepairTest, LeavesCleanClothAlone) {
  const ClothDescription description = cloth();
  const VecX x = folded(description, 0.02);
  const RepairResult repair = repair_start(description, x);
  EXPECT_TRUE(repair.is_clean);
  EXPECT_EQ(repair.passes, 0);
  EXPECT_EQ(repair.x, x);
  EXPECT_EQ(repair.farthest_vertex, -1);
}

TEST(RepairTest, PushesClothOutOfABody) {
  ClothDescription description = cloth();
  description.bodies = {
      {std::make_shared<RigidCollider>(std::make_unique<Sphere>(Vec3(0.2, 0.2, -0.07), 0.1)), 0.0, 0.02}};
  const VecX x = stacked(description.mesh.positions);
  ASSERT_EQ(
      overlaps_with_bodies(description, x, 0.0, std::vector<char>(description.mesh.vertex_count(), 0)).size(),
      1u);
  expect_mended(description, x, 0.05);
}

TEST(RepairTest, BodiesAreWhereTheyAreThen) {
  ClothDescription description = cloth();
  const auto at_rest = Eigen::Quaterniond::Identity();
  description.bodies = {{std::make_shared<RigidCollider>(
                             std::make_unique<Sphere>(Vec3(0.2, 0.2, -0.07), 0.1),
                             RigidMotion({{0.0, Vec3(5, 0, 0), at_rest}, {1.0, Vec3::Zero(), at_rest}})),
                         0.0, 0.02}};
  const VecX x = stacked(description.mesh.positions);
  const std::vector<char> none(description.mesh.vertex_count(), 0);
  EXPECT_EQ(repair_start(description, x).passes, 0);
  const RepairResult repair = repair_start(description, x, {.time = 1.0});
  EXPECT_TRUE(repair.is_clean);
  EXPECT_GT(repair.passes, 0);
  EXPECT_FALSE(overlaps_with_bodies(description, x, 1.0, none).empty());
  EXPECT_TRUE(overlaps_with_bodies(description, repair.x, 1.0, none).empty());
}

TEST(RepairTest, LeavesHeldVerticesWhereTheyAre) {
  ClothDescription description = cloth();
  description.bodies = {
      {std::make_shared<RigidCollider>(std::make_unique<Sphere>(Vec3(0.2, 0.2, -0.07), 0.1))}};
  const VecX x = stacked(description.mesh.positions);
  const int middle = (kFoldedCells / 2) * (kFoldedCells + 1) + kFoldedCells / 2;
  HardPin pin{{middle}, {{VecX(x.segment<3>(3 * middle))}, 1.0}};
  description.pins = {pin};
  const RepairResult repair = repair_start(description, x);
  EXPECT_TRUE(repair.is_clean);
  EXPECT_GT(repair.displacement, 0.0);
  EXPECT_EQ(repair.x.segment<3>(3 * middle), x.segment<3>(3 * middle));
}

TEST(RepairTest, PushesLayersApart) {
  const ClothDescription description = cloth();
  const VecX x = folded(description, 2e-4);
  ASSERT_GT(overlap_with_itself(description, x, std::vector<char>(x.size() / 3, 0)).close.count, 0);
  expect_mended(description, x, 5e-3);
}

// Layers, as what is in a body, get a room of 0.3 d_hat beyond the gap.  (R3)
TEST(RepairTest, LeavesLayersAsTheyAreThatHaveRoom) {
  ClothDescription description = cloth();
  description.contact.activation = 2e-3;
  // By how much the corner moves that is `gap` above the other, away from the fold, where columns at the
  // other side are too near.
  const auto moved = [&](double gap) {
    VecX x = folded(description, gap);
    for (int i = 0; i < x.size() / 3; ++i)
      if (i % (kFoldedCells + 1) < 2 && x(3 * i + 2) > 0.0) x(3 * i + 2) = 4e-4;
    const RepairResult repair = repair_start(description, x);
    EXPECT_TRUE(repair.is_clean);
    EXPECT_GT(repair.passes, 0);
    double most = 0.0;
    for (int i = 0; i < x.size() / 3; ++i)
      if (i % (kFoldedCells + 1) >= 6 && i / (kFoldedCells + 1) >= kFoldedCells - 1)
        most = std::max(most, (repair.x - x).segment<3>(3 * i).norm());
    return most;
  };
  EXPECT_EQ(moved(1e-3 + 0.35 * 2e-3), 0.0);
  EXPECT_GT(moved(1e-3 + 0.25 * 2e-3), 0.0);
}

// What keeps no gap comes to rest within it; what does is too near there.
TEST(OverlapTest, WhatAPenaltyLetsRestIsNotTooNear) {
  for (const auto& [method, is_too_near] : {std::pair{ContactMethod::kBarrier, true},
                                            {ContactMethod::kProjection, true},
                                            {ContactMethod::kPenalty, false},
                                            {ContactMethod::kFilter, false}}) {
    ClothDescription description = cloth();
    description.contact.self = false;
    description.contact.method = method;
    description.bodies = {
        {std::make_shared<RigidCollider>(std::make_unique<Sphere>(Vec3(0.2, 0.2, -0.0998), 0.1)), 0.0, 0.02}};
    const VecX x = stacked(description.mesh.positions);
    const std::vector<char> none(description.mesh.vertex_count(), 0);
    EXPECT_EQ(!overlaps_with_bodies(description, x, 0.0, none).empty(), is_too_near);
    description.bodies[0].collider =
        std::make_shared<RigidCollider>(std::make_unique<Sphere>(Vec3(0.2, 0.2, 0.0), 0.1));
    EXPECT_FALSE(overlaps_with_bodies(description, x, 0.0, none).empty());  // in its middle
  }
}

TEST(RepairTest, PullsACornerOutOfALayer) {
  const ClothDescription description = cloth();
  VecX x = folded(description, 0.01);
  const int corner = kFoldedCells * (kFoldedCells + 1);
  x(3 * corner + 2) = -0.008;
  ASSERT_GT(overlap_with_itself(description, x, std::vector<char>(x.size() / 3, 0)).through.count, 0);
  expect_mended(description, x, 0.04);
}

TEST(RepairTest, PullsABumpOutOfALayer) {
  const ClothDescription description = cloth();
  VecX x = folded(description, 0.01);
  x(3 * (8 * (kFoldedCells + 1) + 4) + 2) = -0.01;
  ASSERT_GT(overlap_with_itself(description, x, std::vector<char>(x.size() / 3, 0)).through.count, 0);
  expect_mended(description, x, 0.05);
}

TEST(RepairTest, PullsPartOfAHemOutOfALayer) {
  const ClothDescription description = cloth();
  VecX x = folded(description, 0.01);
  for (int i = 3; i < 7; ++i) x(3 * (kFoldedCells * (kFoldedCells + 1) + i) + 2) = -0.006;
  ASSERT_GT(overlap_with_itself(description, x, std::vector<char>(x.size() / 3, 0)).through.count, 0);
  expect_mended(description, x, 0.05);
}

std::shared_ptr<const MovingMesh> plate(double height) {
  const std::vector<Vec3> corners = {
      {-1, -1, height}, {1, -1, height}, {-1, 1, height}, {1, 1, height + 1e-4}};
  return std::make_shared<const MovingMesh>(corners, std::vector<Triangle>{{0, 1, 2}, {1, 3, 2}});
}

TEST(RepairTest, PushesClothOffASurface) {
  for (const bool self : {false, true}) {
    ClothDescription description = cloth();
    description.contact.self = self;
    description.surfaces = {{plate(-4e-4)}};
    const VecX x = stacked(description.mesh.positions);
    const std::vector<char> none(description.mesh.vertex_count(), 0);
    const std::vector<SurfaceOverlap> before = overlaps_with_surfaces(description, x, 0.0, none);
    ASSERT_EQ(before.size(), 1u);
    EXPECT_EQ(before[0].cut_count, 0);
    EXPECT_NEAR(before[0].close.nearest.value().distance, 3.6e-4, 1e-6);
    EXPECT_EQ(before[0].close.seam_count + before[0].close.small_count, 0);
    const RepairResult repair = repair_start(description, x);
    EXPECT_TRUE(repair.is_clean);
    EXPECT_GT(repair.passes, 0);
    EXPECT_LT(repair.displacement, 5e-3);
    EXPECT_TRUE(overlaps_with_surfaces(description, repair.x, 0.0, none).empty());
  }
}

// Nothing below pulls cloth out of a surface that cuts it, or changes what the rest mesh has.
TEST(RepairTest, DoesNotTryWhatItCannotMend) {
  ClothDescription cut = cloth();
  cut.surfaces = {{plate(-2e-5)}};
  EXPECT_TRUE(repair_start(cut, stacked(cut.mesh.positions)).is_beyond);
  ClothDescription fine = cloth();
  fine.material.thickness = 1.2 * kFoldedSide / kFoldedCells;
  const VecX x = stacked(fine.mesh.positions);
  const ClosePairs close = overlap_with_itself(fine, x, std::vector<char>(x.size() / 3, 0)).close;
  EXPECT_GT(close.small_count, 0);
  EXPECT_EQ(close.seam_count, 0);
  EXPECT_EQ(close.small_count, close.count);
  const RepairResult repair = repair_start(fine, x);
  EXPECT_TRUE(repair.is_beyond);
  EXPECT_FALSE(repair.is_clean);
  EXPECT_EQ(repair.passes, 0);
  EXPECT_EQ(repair.x, x);
}

TEST(RepairTest, SaysWhereItFails) {
  const ClothDescription description = cloth();
  VecX x = stacked(description.mesh.positions);
  for (Eigen::Index i = 0; i < x.size(); ++i) x(i) = 0.2 * std::sin(12.9898 * static_cast<double>(i * i));
  const RepairResult repair = repair_start(description, x, {.max_passes = 20, .max_steps = 2});
  EXPECT_FALSE(repair.is_clean);
  EXPECT_FALSE(repair.is_beyond);
  EXPECT_FALSE(repair.is_apart);
  EXPECT_EQ(repair.passes, 20);
  EXPECT_EQ(repair.steps, 2);
}

// A whole strip of a sheet beyond a layer: the passes find nothing shorter, the fabric's own steps do. What
// holds the cloth off itself in a run does not matter.
TEST(RepairTest, DrawsAWholeHemOutOfALayer) {
  const test::CrossedSheets scene = test::crossed_sheets(0.01, 1, 0.0, test::cotton());
  for (const ContactMethod method : {ContactMethod::kBarrier, ContactMethod::kImpulses}) {
    ClothDescription description = scene.cloth;
    description.contact.exempt_start = false;
    description.contact.method = method;
    const RepairResult repair = repair_start(description, scene.start.x);
    std::cout << repair.passes << " passes, " << repair.steps << " steps, moved by " << repair.displacement
              << " m\n";
    EXPECT_TRUE(repair.is_clean);
    EXPECT_GT(repair.steps, 0);
    EXPECT_LT(repair.displacement, 0.2);  // as long as what hangs
    EXPECT_TRUE(
        overlap_with_itself(description, repair.x, std::vector<char>(repair.x.size() / 3, 0)).is_clean());
    for (const HardPin& pin : description.pins)
      for (const int v : pin.vertices)
        EXPECT_EQ(repair.x.segment<3>(3 * v), scene.start.x.segment<3>(3 * v)) << v;
  }
}

// The rest mesh is as good as ever, but nothing can be at rest as it lies.
TEST(RepairTest, DrawsNothingOutWhereAPoseHasATriangleWithoutArea) {
  const test::CrossedSheets scene = test::crossed_sheets(0.01, 1, 0.0, test::cotton());
  ClothDescription description = scene.cloth;
  description.contact.exempt_start = false;
  VecX x = scene.start.x;
  const Triangle& t = description.mesh.triangles[0];
  x.segment<3>(3 * t[0]) = 0.5 * (x.segment<3>(3 * t[1]) + x.segment<3>(3 * t[2]));
  const RepairResult repair = repair_start(description, x);
  EXPECT_FALSE(repair.is_clean);
  EXPECT_FALSE(repair.is_apart);
  EXPECT_EQ(repair.steps, 0);
  EXPECT_GT(repair.passes, 0);
}

}  // namespace
}  // namespace keydrape
