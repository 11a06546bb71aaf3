#include "core/contact/body/level_set/level_set_surface.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cstdio>

#include "core/contact/body/level_set/mesh_level_set.h"
#include "tests/support/bodies.h"

// What is drawn of a level set: near the body everywhere, closed, front outwards, and no more than asked for.

namespace keydrape {
namespace {

struct ClosedShape {
  const char* name;
  TriangleMesh mesh;
  double (*truth)(const Vec3&);
  double volume;  // [m^3]
};

std::vector<ClosedShape> closed_shapes() {
  const double pi = test::kPi;
  return {{"sphere", test::sphere_mesh(0.5, 3), [](const Vec3& p) { return p.norm() - 0.5; }, pi / 6},
          {"torus", test::kTorus.mesh(64, 32), [](const Vec3& p) { return test::kTorus.distance(p); },
           pi * pi / 16},
          {"box", test::box_mesh(test::kHalfBox),
           [](const Vec3& p) { return test::box_distance(test::kHalfBox, p); }, 0.48}};
}

std::unique_ptr<const LevelSet> level_set(const TriangleMesh& mesh, double voxel) {
  return std::move(mesh_level_set(mesh.positions, mesh.triangles, {voxel, 2 * voxel}).field);
}

double volume(const TriangleMesh& mesh) {
  double sum = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    sum += mesh.positions[a].dot(mesh.positions[b].cross(mesh.positions[c])) / 6;
  return sum;
}

// Largest distance of corners, edges' middles and triangles' middles from the body [m].
double deviation(const TriangleMesh& mesh, double (*truth)(const Vec3&)) {
  double worst = 0;
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vec3 &a = mesh.positions[i], &b = mesh.positions[j], &c = mesh.positions[k];
    for (const Vec3& p : {a, Vec3(0.5 * (a + b)), Vec3((a + b + c) / 3)})
      worst = std::max(worst, std::abs(truth(p)));
  }
  return worst;
}

TEST(LevelSetSurface, LiesOnTheBodyWithNoMoreTrianglesThanAskedFor) {
  constexpr double kVoxel = 0.04;
  struct Bound {
    int most_triangles;
    double deviation, volume;  // allowed [voxels], share of the body's
  };
  for (const ClosedShape& shape : closed_shapes()) {
    const auto field = level_set(shape.mesh, kVoxel);
    int before = 1'000'000;
    for (const Bound& bound : {Bound{before, 0.5, 0.03}, Bound{3'000, 0.5, 0.03}, Bound{200, 2.5, 0.2}}) {
      const TriangleMesh surface = level_set_surface(*field, bound.most_triangles);
      const double worst = deviation(surface, shape.truth) / kVoxel;
      std::printf("%-7s at most %7d: %5d triangles, off by %.3f voxels at most\n", shape.name,
                  bound.most_triangles, surface.triangle_count(), worst);
      EXPECT_LE(surface.triangle_count(), bound.most_triangles) << shape.name;
      EXPECT_LT(surface.triangle_count(), before) << shape.name;
      EXPECT_LT(worst, bound.deviation) << shape.name;
      EXPECT_NEAR(volume(surface), shape.volume, bound.volume * shape.volume) << shape.name;
      EXPECT_FALSE(find_open_edge(surface.triangles)) << shape.name;
      for (const Vec3& p : surface.positions) EXPECT_NEAR(field->distance(p), 0.0, 1e-3 * kVoxel);  // (S13)
      before = surface.triangle_count();
    }
  }
}

// Where distances end, deep inside, is no surface.
TEST(LevelSetSurface, IsTheOuterOneOfABodyOfManyVoxels) {
  const TriangleMesh surface = level_set_surface(*level_set(closed_shapes()[0].mesh, 0.015), 1'000'000);
  EXPECT_LT(deviation(surface, closed_shapes()[0].truth), 0.5 * 0.015);
  EXPECT_NEAR(volume(surface), closed_shapes()[0].volume, 0.03 * closed_shapes()[0].volume);
}

TEST(LevelSetSurface, HasTheSameBitsOnAnyNumberOfThreads) {
  const auto field = level_set(test::kTorus.mesh(64, 32), 0.05);
  const TriangleMesh a = level_set_surface(*field, 2'000);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const TriangleMesh b = level_set_surface(*field, 2'000);
  EXPECT_EQ(a.positions, b.positions);
  EXPECT_EQ(a.triangles, b.triangles);
}

}  // namespace
}  // namespace keydrape
