// Edges that pass through faces, near the limits of rounding.

#include "core/contact/pairs/intersection.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "core/mesh/mesh.h"
#include "tests/support/meshes.h"
#include "tests/support/noise.h"

namespace keydrape {
namespace {

using namespace test;

// A disk of rings, in the plane z = 0: features without a common vertex are apart.
TriangleMesh disk(int around, int rings) {
  TriangleMesh mesh;
  mesh.positions.emplace_back(0.0, 0.0, 0.0);
  for (int k = 1; k <= rings; ++k)
    for (int i = 0; i < around; ++i) {
      const double angle = 2 * M_PI * (i + 0.5 * (k % 2)) / around;
      mesh.positions.emplace_back(k * std::cos(angle), k * std::sin(angle), 0.0);
    }
  for (int i = 0; i < around; ++i) {
    mesh.triangles.push_back({0, 1 + i, 1 + (i + 1) % around});
    for (int k = 1; k < rings; ++k) {
      const int inner = 1 + (k - 1) * around, outer = 1 + k * around, back = k % 2 == 0;
      const int near = outer + (i + around - back) % around, far = outer + (i + 1 + around - back) % around;
      mesh.triangles.push_back({inner + i, near, far});
      mesh.triangles.push_back({inner + i, far, inner + (i + 1) % around});
    }
  }
  return mesh;
}

TEST(Intersection, FlatClothDoesNotMeetItselfHoweverItIsTurned) {
  Rng rng(31);
  const TriangleMesh flat = disk(7, 3);
  for (int turn = 0; turn < 2000; ++turn) {
    const Mat3 R =
        Eigen::AngleAxisd(uniform(rng, 0.0, 3.0), noise<1>(rng, 1.0).normalized()).toRotationMatrix();
    VecX x = stacked(flat.positions);
    for (int v = 0; v < flat.vertex_count(); ++v) x.segment<3>(3 * v) = R * flat.positions[v] + Vec3(2, 3, 5);
    ASSERT_EQ(find_intersections(flat.triangles, x).count, 0) << "turn " << turn;
  }
}

TEST(Intersection, AnEdgeThroughAFaceIsFoundHoweverShallow) {
  Rng rng(32);
  const std::vector<Triangle> triangles{{0, 1, 2}, {3, 4, 5}};
  for (int turn = 0; turn < 500; ++turn) {
    const double rise = std::pow(10.0, -uniform(rng, 0.0, 10.0));
    const Mat3 R =
        Eigen::AngleAxisd(uniform(rng, 0.0, 3.0), noise<1>(rng, 1.0).normalized()).toRotationMatrix();
    const Vec3 corners[] = {{-1, -1, 0},         {2, -1, 0},       {0, 2, 0},
                            {-0.2, -0.1, -rise}, {0.4, 0.3, rise}, {-0.5, 5, -rise}};
    VecX x(18);
    for (int v = 0; v < 6; ++v) x.segment<3>(3 * v) = R * corners[v];
    EXPECT_GE(find_intersections(triangles, x).count, 1) << "rise " << rise;
  }
}

// Both meshes as one.
TriangleMesh beside_each_other(TriangleMesh mesh, const TriangleMesh& second) {
  const int n = mesh.vertex_count();
  mesh.positions.insert(mesh.positions.end(), second.positions.begin(), second.positions.end());
  for (const auto& [i, j, k] : second.triangles) mesh.triangles.push_back({i + n, j + n, k + n});
  return mesh;
}

// A grid of 6 by 6 cells of `cell` about the origin, each vertex (u, v, 0) where `place` puts it.
template <class Place>
TriangleMesh placed_grid(double cell, const Place& place) {
  TriangleMesh mesh = square(6, 6 * cell);
  for (Vec3& p : mesh.positions) p = place(p.x() - 3 * cell, p.y() - 3 * cell);
  return mesh;
}

int passages(const TriangleMesh& mesh) {
  return find_intersections(mesh.triangles, stacked(mesh.positions)).count;
}

// The same however it is turned, which rounds every coordinate anew.
void expect_passage(const TriangleMesh& mesh) {
  EXPECT_GT(passages(mesh), 0);
  Rng rng(33);
  for (int turn = 0; turn < 12; ++turn) {
    const Mat3 R =
        Eigen::AngleAxisd(uniform(rng, 0.0, 3.0), noise<1>(rng, 1.0).normalized()).toRotationMatrix();
    TriangleMesh other = mesh;
    for (Vec3& p : other.positions) p = R * p + Vec3(0.3, -0.2, 1.0);
    EXPECT_GT(passages(other), 0) << "turn " << turn;
  }
}

// Every edge that crosses meets its own image, at a place that no face has inside.
TEST(Intersection, SheetsThatMeetInAMirrorPassThroughEachOther) {
  for (const double slope : {1e-7, 1e-3, 0.111, 0.3, 0.37, 0.7, 1.0, 30.0}) {
    SCOPED_TRACE(slope);
    const TriangleMesh left =
        placed_grid(0.031, [&](double u, double v) { return Vec3(u + 0.0123, slope * (u + 0.0123), v); });
    TriangleMesh right = left;
    for (Vec3& p : right.positions) p.x() = -p.x();
    expect_passage(beside_each_other(left, right));
  }
}

// Edges that cross corners, ends in faces, edges along edges, corners at corners.
TEST(Intersection, AlignedGridsPassThroughEachOther) {
  constexpr double kCell = 0.04;
  const TriangleMesh floor_mesh = placed_grid(kCell, [](double u, double v) { return Vec3(u, v, 0); });
  for (const double lifted : {0.0, 0.25, 0.5})
    for (const double aside : {0.0, 0.25, 0.5})
      for (const double leaning : {0.0, 0.5, 1.0})
        for (const double moved : {0.0, 0.25, 0.5}) {
          SCOPED_TRACE(testing::Message() << lifted << ' ' << aside << ' ' << leaning << ' ' << moved);
          expect_passage(beside_each_other(floor_mesh, placed_grid(kCell, [&](double u, double v) {
                                             const double z = v + lifted * kCell;
                                             return Vec3(u + aside * kCell, moved * kCell + leaning * z, z);
                                           })));
        }
}

TEST(Intersection, FoldsThatPassThroughAFoldAreFound) {
  const TriangleMesh roof = placed_grid(0.1, [](double u, double v) { return Vec3(u, v, -std::abs(u)); });
  // Across it, beyond its ridge; upright along the ridge, whose corners it has, and leaning.
  expect_passage(beside_each_other(
      roof, placed_grid(0.1, [](double u, double v) { return Vec3(u, v, std::abs(v) - 0.1); })));
  for (const double lean : {0.0, 0.3, -0.9})
    expect_passage(beside_each_other(
        roof, placed_grid(0.1, [lean](double u, double v) { return Vec3(lean * u, v, u); })));
}

TEST(Intersection, ClothThatOnlyTouchesDoesNotPass) {
  const auto flat_at = [](double z) {
    return placed_grid(0.1, [z](double u, double v) { return Vec3(u, v, z); });
  };
  const auto expect_none = [](const TriangleMesh& a, const TriangleMesh& b) {
    EXPECT_EQ(passages(beside_each_other(a, b)), 0);
    EXPECT_EQ(passages(beside_each_other(b, a)), 0);
    TriangleMesh flipped = beside_each_other(a, b);
    for (Vec3& p : flipped.positions) p.z() = -p.z();
    EXPECT_EQ(passages(flipped), 0);
  };
  for (const double aside : {0.0, 0.03, 0.05}) {
    SCOPED_TRACE(aside);
    // Standing on it by an edge, level on it by a face, by a tip, and by a fold.
    for (const double lean : {0.0, 0.2, -0.7})
      expect_none(flat_at(0.0), placed_grid(0.1, [&](double u, double v) {
                    return Vec3(u + aside, aside + lean * v, v + 0.1 * 3);
                  }));
    expect_none(flat_at(0.0), flat_at(0.0));
    expect_none(flat_at(0.0), placed_grid(0.1, [&](double u, double v) {
                  return Vec3(u + aside, v + aside, 0.5 * std::hypot(u, v));
                }));
    for (const double steep : {0.01, 0.4, 50.0})
      expect_none(flat_at(0.0), placed_grid(0.1, [&](double u, double v) {
                    return Vec3(u + aside, v + aside, steep * std::abs(u));
                  }));
    // A fold in a fold, across a fold, and on what it lies along.
    const TriangleMesh roof = placed_grid(0.1, [](double u, double v) { return Vec3(u, v, -std::abs(u)); });
    for (const double steep : {0.0, 0.3, 1.0})
      expect_none(roof, placed_grid(0.1, [&](double u, double v) {
                    return Vec3(u, v + aside, -steep * std::abs(u));
                  }));
    expect_none(roof, placed_grid(0.1, [&](double u, double v) {
                  return Vec3(u + aside, v + aside, std::abs(v + aside));
                }));
  }
}

TEST(Intersection, LayersInOnePlaceDoNotPass) {
  Rng rng(34);
  for (const double height : {0.0, 1e-7, 1e-3, 0.05, 0.2, 2.0}) {
    const TriangleMesh wavy = placed_grid(0.1, [&](double u, double v) {
      return Vec3(u + uniform(rng, -0.01, 0.01), v + uniform(rng, -0.01, 0.01),
                  height * std::sin(7.0 * u) * std::cos(9.0 * v));
    });
    const TriangleMesh both = beside_each_other(wavy, wavy);
    EXPECT_EQ(passages(both), 0) << height;
    for (int turn = 0; turn < 20; ++turn) {
      const Mat3 R =
          Eigen::AngleAxisd(uniform(rng, 0.0, 3.0), noise<1>(rng, 1.0).normalized()).toRotationMatrix();
      TriangleMesh other = both;
      for (Vec3& p : other.positions) p = R * p + Vec3(2, 3, 5);
      EXPECT_EQ(passages(other), 0) << height << ", turn " << turn;
    }
  }
}

// Panels that end in one line, their vertices in the same places, not welded.
TEST(Intersection, PanelsAlongASeamDoNotPass) {
  for (const double angle : {0.0, 0.3, 1.5, 2.9, 3.1415, 4.0, -1.0})
    for (const double bulge : {0.0, 0.02, -0.05}) {
      const auto panel = [&](double turn) {
        return placed_grid(0.125, [&](double u, double v) {
          const double s = u + 0.375;  // 0 along the seam
          return Vec3(s * std::cos(turn), v, s * std::sin(turn) + bulge * std::cos(5 * v));
        });
      };
      EXPECT_EQ(passages(beside_each_other(panel(0.0), panel(M_PI + angle))), 0) << angle << ' ' << bulge;
    }
}

}  // namespace
}  // namespace keydrape
