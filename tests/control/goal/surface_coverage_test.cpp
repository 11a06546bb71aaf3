// How much of a surface cloth lies on: all of it, a half, as much as it is large, only where it has weight.

#include "control/goal/surface_coverage.h"

#include <gtest/gtest.h>

#include <memory>

#include "control/goal/target_surface.h"
#include "tests/support/lattice.h"

namespace keydrape {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Of m by m squares whose sides are `edge` [m].
TriangleMesh flat_sheet(int m, double edge) { return test::lattice(m, m, Vec2(m * edge, m * edge)); }

Keyframe on(const TriangleMesh& surface, const TriangleMesh& cloth) {
  Keyframe keyframe{
      .state = 1, .target = stacked(cloth.positions), .vertex_weight = VecX::Ones(cloth.vertex_count())};
  keyframe.surface = std::make_shared<TargetSurface>(surface, cloth.triangles, kPi / 2);
  return keyframe;
}

TEST(SurfaceCoverage, ClothOnAllOfASurfaceLeavesNothingBare) {
  const TriangleMesh cloth = flat_sheet(10, 0.1);
  const SurfaceCoverage coverage =
      *surface_coverage(on(flat_sheet(1, 1.0), cloth), cloth, stacked(cloth.positions), 0.0);
  EXPECT_EQ(coverage.bare, 0.0);
  EXPECT_NEAR(coverage.spare, 0.0, 1e-12);
  EXPECT_NEAR(coverage.farthest, 0.0, 1e-12);
  EXPECT_DOUBLE_EQ(coverage.within, mean_side(cloth));
  EXPECT_FALSE(coverage.is_left_bare(0.0));
}

TEST(SurfaceCoverage, CrumpledClothLeavesBareWhatItDoesNotLieOn) {
  const TriangleMesh cloth = flat_sheet(20, 0.05);
  VecX x = stacked(cloth.positions);
  // Over one half, with every vertex on the surface.
  for (int i = 0; i < cloth.vertex_count(); ++i) x(3 * i) *= 0.5;
  for (const int pieces : {1, 7}) {
    const SurfaceCoverage coverage =
        *surface_coverage(on(flat_sheet(pieces, 1.0 / pieces), cloth), cloth, x, 0.1);
    EXPECT_NEAR(coverage.bare, 0.4, 0.05) << pieces;  // a strip of 0.1 m counts as covered
    EXPECT_NEAR(coverage.farthest, 0.5, 0.05) << pieces;
    EXPECT_NEAR(coverage.place.x(), 1.0, 0.05) << pieces;
    EXPECT_TRUE(coverage.is_left_bare(0.01)) << pieces;
    EXPECT_FALSE(coverage.is_left_bare(0.2)) << pieces;  // it does not lie there
  }
}

TEST(SurfaceCoverage, WhatIsLargerThanTheClothIsSpare) {
  const TriangleMesh cloth = flat_sheet(20, 0.05);
  const SurfaceCoverage coverage =
      *surface_coverage(on(flat_sheet(2, 1.0), cloth), cloth, stacked(cloth.positions), 0.1);
  EXPECT_NEAR(coverage.spare, 0.75, 1e-12);
  EXPECT_GT(coverage.bare, 0.65);
  EXPECT_FALSE(coverage.is_left_bare(0.0));
}

// Two large triangles under the cloth, and as much area in two hundred small ones far off.
TEST(SurfaceCoverage, TrianglesCountByTheirArea) {
  const TriangleMesh cloth = flat_sheet(10, 0.1);
  TriangleMesh surface = flat_sheet(1, 1.0);
  const int first = surface.vertex_count();
  const TriangleMesh far = flat_sheet(10, 0.1);
  for (const Vec3& p : far.positions) surface.positions.push_back(p + Vec3(0, 0, 5));
  for (const auto& [a, b, c] : far.triangles) surface.triangles.push_back({first + a, first + b, first + c});
  const SurfaceCoverage coverage =
      *surface_coverage(on(surface, cloth), cloth, stacked(cloth.positions), 0.1);
  EXPECT_NEAR(coverage.bare, 0.5, 1e-12);
  EXPECT_NEAR(coverage.spare, 0.5, 1e-12);
}

TEST(SurfaceCoverage, PointsAloneCountByTheirNumber) {
  const TriangleMesh cloth = flat_sheet(10, 0.1);
  TriangleMesh points;
  for (int k = 0; k < 30; ++k) points.positions.emplace_back(0.5, 0.5, k < 12 ? 0.02 : 0.9);
  const SurfaceCoverage coverage = *surface_coverage(on(points, cloth), cloth, stacked(cloth.positions), 0.0);
  EXPECT_NEAR(coverage.bare, 0.6, 1e-12);
  EXPECT_EQ(coverage.spare, 0.0);
  EXPECT_NEAR(coverage.farthest, 0.9, 1e-12);
}

TEST(SurfaceCoverage, OnlyClothWithWeightCovers) {
  const TriangleMesh cloth = flat_sheet(10, 0.1);
  Keyframe keyframe = on(flat_sheet(10, 0.1), cloth);
  for (int i = 0; i < cloth.vertex_count(); ++i)
    if (cloth.positions[i].x() > 0.55) keyframe.vertex_weight(i) = 0.0;
  const SurfaceCoverage coverage = *surface_coverage(keyframe, cloth, stacked(cloth.positions), 0.0);
  EXPECT_NEAR(coverage.spare, 0.5, 1e-9);
  EXPECT_NEAR(coverage.bare, 0.4, 0.11);
  EXPECT_NEAR(coverage.farthest, 0.5, 0.05);
  EXPECT_FALSE(coverage.is_left_bare(0.0));
}

TEST(SurfaceCoverage, SingleVerticesCoverNothing) {
  const TriangleMesh cloth = flat_sheet(10, 0.1);
  Keyframe keyframe = on(flat_sheet(10, 0.1), cloth);
  keyframe.vertex_weight.setZero();
  keyframe.vertex_weight.head(11).setOnes();  // a row
  EXPECT_FALSE(surface_coverage(keyframe, cloth, stacked(cloth.positions), 0.0));
}

}  // namespace
}  // namespace keydrape
