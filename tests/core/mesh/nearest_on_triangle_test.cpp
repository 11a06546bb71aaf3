// The nearest point of triangles with and without an area.

#include "core/mesh/nearest_on_triangle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace keydrape {
namespace {

double distance_to_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const double length = (b - a).squaredNorm();
  const double t = length > 0.0 ? std::clamp((p - a).dot(b - a) / length, 0.0, 1.0) : 0.0;
  return (p - a - t * (b - a)).norm();
}

// Corners at one place or on a line, or all but that: the nearest point is one of the sides.
TEST(NearestOnTriangle, IsOneOfTheSidesWhereThereIsNoArea) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> side(-1.0, 1.0);
  const auto anywhere = [&] { return Vec3(side(random), side(random), side(random)); };
  for (const double width : {0.0, 1e-15, 1e-12, 1e-9})
    for (int k = 0; k < 50000; ++k) {
      const Vec3 a = anywhere(), b = anywhere();
      const Vec3 c = a + side(random) * (b - a) + width * anywhere(), p = anywhere();
      const double nearest = std::min(
          {distance_to_segment(p, a, b), distance_to_segment(p, b, c), distance_to_segment(p, c, a)});
      ASSERT_NEAR(nearest_on_triangle(p, a, b, c).distance, nearest, 1e-14 + 4.0 * width);
    }
}

TEST(NearestOnTriangle, IsExactOnTheAxes) {
  const Vec3 a(0, 0, 0), b(1, 0, 0), half(0.5, 0, 0);
  const std::array<Vec3, 3> flat[] = {{a, a, b}, {a, b, a}, {b, a, a}, {a, a, a}, {a, half, b}, {half, a, b}};
  for (const auto& [u, v, w] : flat)
    for (const double x : {-0.5, 0.0, 0.3, 0.5, 1.0, 1.5})
      for (const Vec3& off : {Vec3(0, 0, 0), Vec3(0, 0.7, 0), Vec3(0, -0.2, 0.3)}) {
        const Vec3 p = Vec3(x, 0, 0) + off;
        const SurfacePoint found = nearest_on_triangle(p, u, v, w);
        EXPECT_NEAR(found.distance,
                    std::min({distance_to_segment(p, u, v), distance_to_segment(p, v, w),
                              distance_to_segment(p, w, u)}),
                    1e-15);
        EXPECT_NEAR(found.weights.sum(), 1.0, 1e-15);
        EXPECT_GE(found.weights.minCoeff(), 0.0);
      }
}

}  // namespace
}  // namespace keydrape
