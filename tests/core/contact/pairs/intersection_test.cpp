// Edges that pass through faces, near the limits of rounding.

#include "core/contact/pairs/intersection.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "core/mesh/mesh.h"
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

}  // namespace
}  // namespace keydrape
