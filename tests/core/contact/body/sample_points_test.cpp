#include "core/contact/body/sample_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "core/mesh/mesh.h"
#include "tests/support/meshes.h"

// Points that hold cloth off bodies: where they are, how far apart, and that none is there twice.

namespace keydrape {
namespace {

double area_of(const std::vector<SamplePoint>& points) {
  double sum = 0;
  for (const SamplePoint& p : points) sum += p.area;
  return sum;
}

TEST(SamplePoints, VerticesComeFirstAndOnce) {
  const TriangleMesh mesh = test::square(5, 1.0);
  const auto points = sample_points(mesh.positions, mesh.triangles, std::numeric_limits<double>::infinity());
  ASSERT_EQ(points.size(), mesh.positions.size());
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    EXPECT_EQ(points[v].count, 1);
    EXPECT_EQ(points[v].vertices[0], v);
    EXPECT_EQ(points[v].position(stacked(mesh.positions)), mesh.positions[v]);
  }
  EXPECT_NEAR(area_of(points), 1.0, 1e-12);
}

TEST(SamplePoints, EachPlaceIsTakenOnceAndAreasAddUp) {
  const TriangleMesh mesh = test::distorted(test::square(6, 1.0), Vec2(1, 1), 0.3, 3);
  const VecX x = stacked(mesh.positions);
  for (const double spacing : {0.3, 0.1, 0.03}) {
    const auto points = sample_points(mesh.positions, mesh.triangles, spacing);
    std::set<std::array<long, 3>> places;
    for (const SamplePoint& p : points) {
      EXPECT_NEAR(p.weights.sum(), 1.0, 1e-14);
      EXPECT_GE(p.weights.minCoeff(), 0.0);
      EXPECT_EQ((p.weights.array() > 0).count(), p.count);
      const Vec3 at = p.position(x) / 1e-9;
      EXPECT_TRUE(places.insert({std::lround(at.x()), std::lround(at.y()), std::lround(at.z())}).second);
    }
    EXPECT_NEAR(area_of(points), 1.0, 1e-12);
  }
}

TEST(SamplePoints, NoHoleIsLargerThanTheRuleSays) {
  const TriangleMesh mesh = test::distorted(test::square(4, 1.0), Vec2(1, 1), 0.3, 5);
  const VecX x = stacked(mesh.positions);
  const double spacing = 0.07;
  const auto points = sample_points(mesh.positions, mesh.triangles, spacing);
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  double largest = 0;
  for (int i = 0; i < 3000; ++i) {
    const Vec3 p(unit(random), unit(random), 0);
    double nearest = std::numeric_limits<double>::infinity();
    for (const SamplePoint& s : points) nearest = std::min(nearest, (s.position(x) - p).norm());
    largest = std::max(largest, nearest);
  }
  EXPECT_LE(largest, spacing / std::sqrt(3.0));
  EXPECT_GT(largest, 0.3 * spacing);
}

TEST(SamplePoints, LooseVerticesHaveNone) {
  const auto points =
      sample_points({Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(5, 5, 5)}, {{0, 1, 2}}, 10.0);
  EXPECT_EQ(points.size(), 3u);
}

}  // namespace
}  // namespace keydrape
