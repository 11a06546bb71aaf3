// Targets of another topology: the nearest point is the nearest, and value, gradient and Hessian of the goal
// are those of the squared distance from the surface (K3).

#include "control/goal/target_surface.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>

#include "core/mesh/nearest_on_triangle.h"
#include "tests/support/lattice.h"

namespace keydrape {
namespace {

// An open dome of `rings` by 2 rings facets, radius 1.
TriangleMesh dome(int rings) {
  TriangleMesh mesh;
  const int around = 2 * rings;
  for (int j = 0; j <= rings; ++j)
    for (int i = 0; i < around; ++i) {
      const double theta = 0.1 + 1.2 * j / rings, phi = 2 * EIGEN_PI * i / around;
      mesh.positions.emplace_back(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi),
                                  std::cos(theta));
    }
  for (int j = 0; j < rings; ++j)
    for (int i = 0; i < around; ++i) {
      const int a = j * around + i, b = j * around + (i + 1) % around, c = a + around, d = b + around;
      mesh.triangles.push_back({a, c, b});
      mesh.triangles.push_back({b, c, d});
    }
  return mesh;
}

std::vector<Vec3> random_points(int count) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> coordinate(-1.6, 1.6);
  std::vector<Vec3> points;
  points.reserve(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k)
    points.emplace_back(coordinate(random), coordinate(random), coordinate(random));
  return points;
}

double brute_force_distance(const TriangleMesh& mesh, const Vec3& p) {
  double least = 1e30;
  for (const Triangle& t : mesh.triangles)
    least = std::min(
        least,
        nearest_on_triangle(p, mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]).distance);
  return least;
}

TEST(TargetSurface, FindsTheNearestPoint) {
  const TriangleMesh mesh = dome(12);
  const TargetSurface surface(mesh, {}, EIGEN_PI);
  for (const Vec3& p : random_points(400)) {
    const SurfaceMatch match = surface.match(p);
    EXPECT_NEAR((p - match.points).norm(), brute_force_distance(mesh, p), 1e-12);
  }
}

TEST(TargetSurface, PointsAloneAreMatchedInAllDirections) {
  TriangleMesh mesh = dome(12);
  mesh.triangles.clear();
  const TargetSurface surface(mesh, {}, EIGEN_PI);
  for (const Vec3& p : random_points(100)) {
    const SurfaceMatch match = surface.match(p);
    for (const Vec3& q : mesh.positions) EXPECT_LE((p - match.points).norm(), (p - q).norm() + 1e-14);
    EXPECT_TRUE(match.directions[0].isIdentity(0.0));
  }
}

// Points over triangles, edges, vertices and the rim.
TEST(TargetSurface, ProjectorIsTheHessianOfHalfTheSquaredDistance) {
  const TriangleMesh mesh = dome(4);
  const TargetSurface surface(mesh, {}, EIGEN_PI);
  int rank_count[4] = {0, 0, 0, 0};
  for (const Vec3& p : random_points(600)) {
    const SurfaceMatch match = surface.match(p);
    const Mat3& P = match.directions[0];
    EXPECT_LE((P * P - P).norm(), 1e-12);
    // The difference to the nearest point is across the feature: value and gradient are those
    // of the distance.
    EXPECT_LE((P * (p - match.points) - (p - match.points)).norm(), 1e-9 * (p - match.points).norm());
    constexpr double kStep = 1e-6;
    Mat3 hessian;
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 ahead = p + kStep * Vec3::Unit(axis), behind = p - kStep * Vec3::Unit(axis);
      hessian.col(axis) =
          ((ahead - surface.match(ahead).points) - (behind - surface.match(behind).points)) / (2 * kStep);
    }
    if ((hessian - P).norm() > 1e-6) continue;  // another feature is nearest a step away
    ++rank_count[static_cast<int>(std::lround(P.trace()))];
  }
  EXPECT_GT(rank_count[1], 20);
  EXPECT_GT(rank_count[2], 20);
  EXPECT_GT(rank_count[3], 20);
  EXPECT_GT(rank_count[1] + rank_count[2] + rank_count[3], 590);
}

// Of two layers that face away from each other the one that faces as the cloth does, though the
// other is nearer.
TEST(TargetSurface, LayersAreToldApartByTheirNormals) {
  TriangleMesh layers;
  const double z[] = {0.0, 0.1};
  for (const double height : z)
    for (const auto& [x, y] : {std::pair{-1.0, -1.0}, {3.0, -1.0}, {-1.0, 3.0}})
      layers.positions.emplace_back(x, y, height);
  layers.triangles = {{0, 1, 2}, {3, 5, 4}};  // the upper one faces down
  VecX cloth(9);
  cloth << 0, 0, 0.08, 0.5, 0, 0.08, 0, 0.5, 0.08;  // faces up
  const SurfaceMatch told_apart = TargetSurface(layers, {{0, 1, 2}}, EIGEN_PI / 2).match(cloth);
  EXPECT_NEAR(told_apart.points[2], 0.0, 1e-14);
  const SurfaceMatch any = TargetSurface(layers, {{0, 1, 2}}, EIGEN_PI).match(cloth);
  EXPECT_NEAR(any.points[2], 0.1, 1e-14);
  // Where none faces as the cloth does, any will do.
  const SurfaceMatch turned = TargetSurface(layers, {{0, 2, 1}}, 0.1).match(cloth);
  EXPECT_NEAR(turned.points[2], 0.1, 1e-14);
}

// Cloth on edge faces as neither layer does: the nearest of all counts.
TEST(TargetSurface, WhereNoneFacesAsTheClothDoesTheNearestCounts) {
  TriangleMesh layers;
  for (const double height : {0.0, 0.1})
    for (const auto& [x, y] : {std::pair{-1.0, -1.0}, {3.0, -1.0}, {-1.0, 3.0}})
      layers.positions.emplace_back(x, y, height);
  layers.triangles = {{0, 1, 2}, {3, 4, 5}};
  VecX cloth(9);
  cloth << 0, 0, 0.07, 0, 0.5, 0.07, 0, 0, 0.08;
  const SurfaceMatch match = TargetSurface(layers, {{0, 1, 2}}, 0.1).match(cloth);
  for (const int i : {0, 1, 2}) EXPECT_NEAR(match.points[3 * i + 2], 0.1, 1e-14);
}

// Two triangles of cloth, one flat on a surface, the other at 60 degrees to it, of three times the weight.
TEST(TargetSurface, SaysWhatShareOfTheClothIsTurnedAwayByMoreThanItsAngle) {
  TriangleMesh plane;
  plane.positions = {{-5, -5, 0}, {15, -5, 0}, {-5, 15, 0}};
  plane.triangles = {{0, 1, 2}};
  VecX cloth(18);
  const double c = 0.5, s = std::sqrt(0.75);
  cloth << 0, 0, 0, 1, 0, 0, 0, 1, 0, /**/ 2, 0, 0, 2 + c, 0, s, 2, 1, 0;
  VecX weight(6);
  weight << 1, 1, 1, 3, 3, 3;
  const auto share = [&](double degrees) {
    return TargetSurface(plane, {{0, 1, 2}, {3, 4, 5}}, degrees * EIGEN_PI / 180)
        .share_turned_away(cloth, weight);
  };
  EXPECT_NEAR(share(59.0), 0.75, 1e-14);
  EXPECT_EQ(share(61.0), 0.0);
}

// Of m by m pairs of triangles.
TriangleMesh square(int m, double width) { return test::lattice(m, m, Vec2(width, width)); }

TEST(TargetSurface, IsMeantAsAWholeUnlessItIsLargerThanTheClothOrClosed) {
  const TriangleMesh cloth = square(6, 1.0);
  const VecX all = VecX::Ones(cloth.vertex_count());
  EXPECT_EQ(extent_for(square(4, 1.0), cloth, all), SurfaceExtent::kWhole);
  EXPECT_EQ(extent_for(square(4, 0.5), cloth, all), SurfaceExtent::kWhole);
  EXPECT_EQ(extent_for(square(4, 1.1), cloth, all), SurfaceExtent::kPart);
  VecX some = all;
  some.head(14).setZero();
  EXPECT_EQ(extent_for(square(4, 1.0), cloth, some), SurfaceExtent::kPart);
  TriangleMesh closed;
  closed.positions = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}};
  closed.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  EXPECT_EQ(extent_for(closed, cloth, all), SurfaceExtent::kPart);
  TriangleMesh points = square(4, 1.0);
  points.triangles.clear();
  EXPECT_EQ(extent_for(points, cloth, all), SurfaceExtent::kPart);
}

// Cloth over one half of the surface, every vertex on it: its free border is drawn, and nothing else.
TEST(TargetSurface, ItsBorderDrawsTheBorderOfTheCloth) {
  const TriangleMesh cloth = square(6, 1.0);
  const TargetSurface whole(square(4, 1.0), cloth.triangles, EIGEN_PI / 2, SurfaceExtent::kWhole);
  const VecX rest = stacked(cloth.positions);
  VecX x = rest;
  for (int i = 0; i < cloth.vertex_count(); ++i) x(3 * i) *= 0.5;
  const SurfaceMatch match = whole.match(x);
  for (int i = 0; i < cloth.vertex_count(); ++i) {
    const Vec3 way = match.points.segment<3>(3 * i) - x.segment<3>(3 * i);
    EXPECT_EQ(cloth.positions[i].x() == 1.0, way.x() > 0.1) << i;
    if (cloth.positions[i].x() == 1.0) {
      EXPECT_NEAR(way.x(), 0.5, 0.26) << i;  // corners have a half of theirs from the sides
      EXPECT_TRUE(match.directions[i].isIdentity(0.0)) << i;
    } else {
      EXPECT_LE((match.directions[i] * way).norm(), 1e-12) << i;
    }
  }
  EXPECT_LE((whole.match(rest).points - rest).norm(), 1e-12);
  // A surface that is a part of the cloth draws none of its border.
  const TargetSurface part(square(4, 0.4), cloth.triangles, EIGEN_PI / 2, SurfaceExtent::kWhole);
  const TargetSurface anywhere(square(4, 0.4), cloth.triangles, EIGEN_PI / 2);
  VecX within = rest;
  for (int i = 0; i < cloth.vertex_count(); ++i) within.segment<3>(3 * i) += Vec3(-0.3, -0.3, 0.0);
  EXPECT_EQ(part.match(within).points, anywhere.match(within).points);
  // Coarser cloth keeps it.
  const TriangleMesh coarse = square(3, 1.0);
  VecX y = stacked(coarse.positions);
  for (int i = 0; i < coarse.vertex_count(); ++i) y(3 * i) *= 0.5;
  const SurfaceMatch of_coarse = whole.for_cloth(coarse.triangles).match(y);
  EXPECT_NEAR(of_coarse.points(3 * 7) - y(3 * 7), 0.5, 1e-12);
}

// Rings of triangles about a centre, of radius 0.3.
TriangleMesh disc(int rings, double turn) {
  TriangleMesh mesh;
  mesh.positions.push_back(Vec3::Zero());
  const auto at = [](int ring, int k) { return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1) + k % (6 * ring); };
  for (int ring = 1; ring <= rings; ++ring)
    for (int k = 0; k < 6 * ring; ++k) {
      const double angle = turn + 2.0 * EIGEN_PI * k / (6 * ring);
      mesh.positions.push_back(0.3 * ring / rings * Vec3(std::cos(angle), std::sin(angle), 0.0));
    }
  for (int ring = 1; ring <= rings; ++ring)
    for (int side = 0; side < 6; ++side)
      for (int k = 0; k < ring; ++k) {
        const int within = side * (ring - 1) + k, outer = side * ring + k;
        mesh.triangles.push_back({at(ring - 1, within), at(ring, outer), at(ring, outer + 1)});
        if (k + 1 < ring)
          mesh.triangles.push_back({at(ring - 1, within), at(ring, outer + 1), at(ring - 1, within + 1)});
      }
  return mesh;
}

// A point beyond a corner of the border is as near to every triangle around that, of which some have no edge
// on it. (K9)
TEST(TargetSurface, BordersAreDrawnWhicheverTriangleComesFirst) {
  const TriangleMesh target = disc(9, 0.05), cloth = disc(6, 0.0);
  VecX x = 0.8 * stacked(cloth.positions);
  for (Eigen::Index i = 2; i < x.size(); i += 3) x[i] += 0.01;
  const auto matched = [&](const std::vector<Triangle>& triangles) {
    return TargetSurface(target, triangles, EIGEN_PI / 2, SurfaceExtent::kWhole).match(x).points;
  };
  const VecX points = matched(cloth.triangles);
  std::mt19937 random(7);
  for (int order = 0; order < 4; ++order) {
    std::vector<Triangle> triangles = cloth.triangles;
    std::shuffle(triangles.begin(), triangles.end(), random);
    EXPECT_LT((matched(triangles) - points).lpNorm<Eigen::Infinity>(), 1e-12);
  }
}

}  // namespace
}  // namespace keydrape
