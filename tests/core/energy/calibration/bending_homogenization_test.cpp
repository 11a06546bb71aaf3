#include "core/energy/calibration/bending_homogenization.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "core/energy/calibration/bending_calibration.h"
#include "tests/support/meshes.h"

namespace keydrape {
namespace {

using namespace test;

std::vector<RestCorners> corners_of(const TriangleMesh& mesh) {
  std::vector<RestCorners> corners;
  for (const auto& [a, b, c] : mesh.triangles)
    corners.push_back(
        {mesh.positions[a].head<2>(), mesh.positions[b].head<2>(), mesh.positions[c].head<2>()});
  return corners;
}

// A third of the usual stiffness: right for equilateral triangles that stay on a cylinder.
std::optional<PlateRigidity> rigidity_of(const std::vector<Triangle>& triangles,
                                         const std::vector<RestCorners>& corners, int vertex_count) {
  const Topology topology = build_topology(triangles, vertex_count);
  std::vector<RestHinge> rest;
  std::vector<double> k;
  for (const Hinge& hinge : topology.hinges) {
    rest.push_back(unfold(hinge, triangles, corners));
    k.push_back(nominal_hinge_stiffness(rest.back()) / 3);
  }
  return homogenized_rigidity(lay_out_fans(triangles, corners), topology.hinges, rest, k);
}

std::optional<PlateRigidity> rigidity_of(const TriangleMesh& mesh) {
  return rigidity_of(mesh.triangles, corners_of(mesh), mesh.vertex_count());
}

// `sectors` of six equal sectors of a hexagon of equilateral triangles, closed to a cone: flat for 6.
struct Cone {
  std::vector<Triangle> triangles;
  int vertex_count;

  Cone(int sectors, int rings) : vertex_count(1 + sectors * rings * (rings + 1) / 2) {
    // Vertex m of ring r; ring r has sectors * r of them.
    const auto at = [&](int r, int m) {
      return r == 0 ? 0 : 1 + sectors * r * (r - 1) / 2 + m % (sectors * r);
    };
    for (int r = 0; r < rings; ++r)
      for (int s = 0; s < sectors; ++s)
        for (int m = 0; m <= r; ++m) {
          const int outer = s * (r + 1) + m, inner = s * r + m;
          triangles.push_back({at(r, inner), at(r + 1, outer), at(r + 1, outer + 1)});
          if (m < r) triangles.push_back({at(r, inner), at(r + 1, outer + 1), at(r, inner + 1)});
        }
  }

  std::optional<PlateRigidity> rigidity() const {
    const RestCorners equilateral{Vec2(0, 0), Vec2(0.1, 0), Vec2(0.05, 0.1 * std::sqrt(0.75))};
    return rigidity_of(triangles, std::vector<RestCorners>(triangles.size(), equilateral), vertex_count);
  }
};

TEST(BendingHomogenization, EquilateralTrianglesAreAPlateInClosedForm) {
  // They do not ripple. Seung and Nelson 1988: the modulus of Gaussian curvature is -4/3 of that of
  // the mean one.
  const auto plate = Cone(6, 8).rigidity();
  ASSERT_TRUE(plate.has_value());
  EXPECT_NEAR(plate->D, 1.0, 1e-9);
  EXPECT_NEAR(plate->nu, -1.0 / 3, 1e-9);
  EXPECT_NEAR(plate->strip(), 8.0 / 9, 1e-9);
  EXPECT_NEAR(plate->bend(), 17.0 / 18, 1e-9);
}

TEST(BendingHomogenization, TheTipOfAConeIsCutOut) {
  for (int sectors : {5, 7}) {
    const auto plate = Cone(sectors, 14).rigidity();
    ASSERT_TRUE(plate.has_value());
    EXPECT_NEAR(plate->D, 1.0, 1e-9) << sectors << " sectors";
    EXPECT_NEAR(plate->nu, -1.0 / 3, 1e-9) << sectors << " sectors";
  }
}

TEST(BendingHomogenization, DoesNotDependOnTheSizeOfTheSheet) {
  const PlateRigidity large = *rigidity_of(square(60, 1.0));
  for (int cells : {8, 12, 24}) {
    const PlateRigidity plate = *rigidity_of(square(cells, 1.0));
    std::printf("%2d x %2d cells: D %.4f nu %.4f bend %.4f\n", cells, cells, plate.D, plate.nu, plate.bend());
    EXPECT_NEAR(plate.bend() / large.bend(), 1.0, 0.02);
  }
  EXPECT_NEAR(rigidity_of(sheet(40, 8, Vec2(1, 0.2)))->bend() / large.bend(), 1.0, 0.02);
}

TEST(BendingHomogenization, DoesNotDependOnThePlanesOfThePanels) {
  const TriangleMesh mesh = distorted(square(12, 1.0), Vec2(1, 1), 0.2, 5);
  std::vector<RestCorners> corners = corners_of(mesh);
  const PlateRigidity plate = *rigidity_of(mesh);
  for (size_t t = 0; t < corners.size(); ++t)
    for (Vec2& corner : corners[t]) corner = Eigen::Rotation2Dd(0.7 * static_cast<double>(t)) * corner;
  const PlateRigidity turned = *rigidity_of(mesh.triangles, corners, mesh.vertex_count());
  EXPECT_NEAR(turned.D, plate.D, 1e-9 * plate.D);
  EXPECT_NEAR(turned.nu, plate.nu, 1e-9);
}

TEST(BendingHomogenization, ClosesRoundATube) {
  constexpr int kRound = 24, kAlong = 12;
  const TriangleMesh flat = sheet(kRound, kAlong, Vec2(2, 1));
  std::vector<Triangle> round = flat.triangles;  // the last column is the first
  for (Triangle& triangle : round)
    for (int& v : triangle) v = v / (kRound + 1) * kRound + v % (kRound + 1) % kRound;
  const auto tube = rigidity_of(round, corners_of(flat), kRound * (kAlong + 1));
  ASSERT_TRUE(tube.has_value());
  EXPECT_NEAR(tube->bend() / rigidity_of(flat)->bend(), 1.0, 0.01);
}

TEST(BendingHomogenization, ClosesInBothDirections) {  // nowhere a boundary or a change of directions
  constexpr int kRound = 12;
  const TriangleMesh flat = square(kRound, 1.0);
  std::vector<Triangle> closed = flat.triangles;
  for (Triangle& triangle : closed)
    for (int& v : triangle) v = v / (kRound + 1) % kRound * kRound + v % (kRound + 1) % kRound;
  const auto torus = rigidity_of(closed, corners_of(flat), kRound * kRound);
  ASSERT_TRUE(torus.has_value());
  EXPECT_NEAR(torus->bend() / rigidity_of(flat)->bend(), 1.0, 0.01);
}

TEST(BendingHomogenization, NeedsAnInnerVertex) {
  EXPECT_FALSE(rigidity_of(square(1, 1.0)).has_value());
  EXPECT_TRUE(rigidity_of(square(2, 1.0)).has_value());
}

}  // namespace
}  // namespace keydrape
