#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/contact/body/level_set/mesh_distances.h"
#include "core/contact/body/level_set/mesh_level_set.h"
#include "core/contact/body/sample_points.h"
#include "tests/support/bodies.h"

// Level sets of meshes: how far they are off, and that nothing of the body is lost.

namespace keydrape {
namespace {

constexpr double kBand = 0.1;
const Mat3 kTurn = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();

struct BandShape {
  const char* name;
  TriangleMesh mesh;
  double (*truth)(const Vec3&);
  double largest_error;  // outside, within the band [voxels]
};

std::vector<BandShape> band_shapes() {
  return {{"sphere", test::sphere_mesh(0.5, 4), [](const Vec3& p) { return p.norm() - 0.5; }, 0.1},
          {"torus", test::kTorus.mesh(128, 64), [](const Vec3& p) { return test::kTorus.distance(p); }, 0.15},
          {"box", test::box_mesh(test::kHalfBox),
           [](const Vec3& p) { return test::box_distance(test::kHalfBox, p); }, 0.4},
          {"turned box", test::turned(test::box_mesh(test::kHalfBox), kTurn),
           [](const Vec3& p) { return test::box_distance(test::kHalfBox, kTurn.transpose() * p); }, 0.5}};
}

TEST(LevelSet, ErrorsAreAFractionOfAVoxelAndNoVertexIsInside) {
  for (const BandShape& shape : band_shapes())
    for (const double voxel : {0.02, 0.05, 0.1}) {
      const auto level_set = mesh_level_set(shape.mesh.positions, shape.mesh.triangles, {voxel, kBand});
      std::mt19937_64 random(1);
      std::uniform_real_distribution<double> side(-1.0, 1.0);
      double largest = 0, squares = 0, deepest = 0;
      int count = 0;
      for (int i = 0; i < 50000; ++i) {
        const Vec3 p(side(random), side(random), side(random));
        const double truth = shape.truth(p), found = level_set.field->distance(p);
        if (found > 0) deepest = std::max(deepest, -truth);  // where the field lets a vertex be
        if (truth < 0 || truth > kBand) continue;
        largest = std::max(largest, std::abs(found - truth));
        squares += (found - truth) * (found - truth);
        ++count;
      }
      std::printf(
          "%-10s voxel %.2f m: error rms %.4f, max %.4f voxels; vertices sink %.5f voxels; slope <= %.2f\n",
          shape.name, voxel, std::sqrt(squares / count) / voxel, largest / voxel, deepest / voxel,
          level_set.field->lipschitz());
      EXPECT_LT(largest / voxel, shape.largest_error);
      // The polyhedra of sphere and torus lie inside of these, by up to 0.0015 m.
      EXPECT_LT(deepest, shape.largest_error < 0.2 ? 0.0015 : 0.005 * voxel);
    }
}

// How deep triangles of up to four voxels sink into the box, at most, where they are lowered on its edge
// until the field stops one of their sample points [m].
double deepest_sink(const DistanceField& field, double voxel, double spacing) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  double deepest = 0;
  for (int trial = 0; trial < 100; ++trial) {
    // The edge x = 0.5, z = 0.4, whose outward normals are cos a e_x + sin a e_z.
    const double a = (0.1 + 0.8 * unit(random)) * test::kPi / 2;
    const Vec3 n = Vec3(std::cos(a), 0.1 * (unit(random) - 0.5), std::sin(a)).normalized();
    const Vec3 u = n.cross(Vec3(unit(random), unit(random) - 0.5, -0.3)).normalized(), v = n.cross(u);
    const Vec3 center(0.5, 0.1 * (unit(random) - 0.5), 0.4);
    const double size = (0.5 + 2 * unit(random)) * voxel;  // of the triangle
    std::vector<Vec3> corners;
    for (int k = 0; k < 3; ++k) {
      const double angle = 2 * test::kPi / 3 * k + 0.4 * unit(random);
      corners.push_back(center + size * (std::cos(angle) * u + std::sin(angle) * v));
    }
    const std::vector<SamplePoint> points = sample_points(corners, {{0, 1, 2}}, spacing);
    double low = -2 * size, high = 2 * size;  // height along n: inside, outside
    for (int step = 0; step < 40; ++step) {
      const double middle = 0.5 * (low + high);
      const bool is_free = std::all_of(points.begin(), points.end(), [&](const SamplePoint& p) {
        return field.distance(p.position(stacked(corners)) + middle * n) > 0;
      });
      (is_free ? high : low) = middle;
    }
    for (int i = 0; i <= 60; ++i)
      for (int j = 0; i + j <= 60; ++j) {
        const Vec3 x = ((60 - i - j) * corners[0] + i * corners[1] + j * corners[2]) / 60 + high * n;
        deepest = std::max(deepest, -test::box_distance(test::kHalfBox, x));
      }
  }
  return deepest;
}

TEST(LevelSet, TrianglesSinkLessThanHalfAVoxelAtEdges) {
  for (const double voxel : {0.02, 0.05, 0.1}) {
    const TriangleMesh box = test::box_mesh(test::kHalfBox);
    const auto field = mesh_level_set(box.positions, box.triangles, {voxel, kBand}).field;
    const double sink = deepest_sink(*field, voxel, voxel);
    const double of_vertices = deepest_sink(*field, voxel, std::numeric_limits<double>::infinity());
    std::printf("voxel %.2f m: triangles sink %.3f voxels, with vertices alone %.3f\n", voxel, sink / voxel,
                of_vertices / voxel);
    EXPECT_LT(sink, 0.5 * voxel);
    EXPECT_GT(of_vertices, 0.5 * voxel);  // else nothing was tested
  }
}

TEST(LevelSet, GridDistancesAreExact) {
  const TriangleMesh box = test::turned(test::box_mesh(test::kHalfBox), kTurn);
  const MeshDistances distances =
      mesh_distances(box.positions, box.triangles, {.voxel = 0.04, .half_width = 0.2});
  const std::vector<Index3> places = distances.grid.brick_places();
  ASSERT_GT(distances.grid.brick_count(), 50);
  for (std::size_t slot = 0; slot < distances.grid.values.size(); ++slot) {
    const Vec3 p = distances.grid.position(
        BrickGrid::voxel_at(places[slot / BrickGrid::kVoxels], static_cast<int>(slot % BrickGrid::kVoxels)));
    EXPECT_NEAR(distances.grid.values[slot], test::box_distance(test::kHalfBox, kTurn.transpose() * p), 1e-6);
  }
}

TEST(LevelSet, IsTheSameForAnyNumberOfThreads) {
  const auto distances_of = [](int threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    const TriangleMesh torus = test::kTorus.mesh(96, 48);
    const auto field = mesh_level_set(torus.positions, torus.triangles, {0.05, kBand}).field;
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> side(-1.0, 1.0);
    std::vector<double> distances;
    distances.reserve(5000);
    for (int i = 0; i < 5000; ++i)
      distances.push_back(field->distance(Vec3(side(random), side(random), side(random))));
    return distances;
  };
  const std::vector<double> one = distances_of(1);
  EXPECT_EQ(one, distances_of(2));
  EXPECT_EQ(one, distances_of(4));
}

TEST(LevelSet, OverlappingAndReversedBodiesAreTheirUnion) {
  TriangleMesh mesh = test::sphere_mesh(0.3, 4);
  const TriangleMesh other = mesh;
  for (const Vec3& p : other.positions) mesh.positions.push_back(p + Vec3(0.3, 0, 0));
  for (const auto& [a, b, c] : other.triangles)
    mesh.triangles.push_back({a + other.vertex_count(), c + other.vertex_count(), b + other.vertex_count()});
  const auto field = mesh_level_set(mesh.positions, mesh.triangles, {0.03, 0.06}).field;
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> side(-0.7, 0.9);
  for (int i = 0; i < 20000; ++i) {
    const Vec3 p(side(random), side(random), side(random));
    const double truth = std::min(p.norm(), (p - Vec3(0.3, 0, 0)).norm()) - 0.3;
    if (std::abs(truth) > 0.015) {
      EXPECT_EQ(truth < 0, field->distance(p) < 0) << p.transpose();
    }
  }
}

// Surfaces deep inside of another part are no surface of the union: there no value is stored.
TEST(LevelSet, WhatLiesDeepInsideOfAnotherPartChangesNothing) {
  const TriangleMesh box = test::box_mesh(test::kHalfBox), ball = test::sphere_mesh(0.5, 3);
  struct Union {
    const char* name;
    TriangleMesh whole, part;
    Vec3 at;           // where the part is
    bool is_reversed;  // the part's triangles: of a cavity
    double voxel;
  };
  const auto distance_to = [](const TriangleMesh& body, const Vec3& p) {
    const Vec3& corner = body.positions[7];
    return body.vertex_count() == 8 ? test::box_distance(corner, p) : p.norm() - corner.norm();
  };
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> side(-1.0, 1.0);
  for (const auto& [name, whole, part, at, is_reversed, voxel] :
       {Union{"box in a box", box, test::box_mesh(Vec3(0.1, 0.08, 0.06)), Vec3(0.01, 0.02, 0.03), true, 0.02},
        Union{"ball in a ball", ball, test::sphere_mesh(0.1, 2), Vec3(0.1, 0, 0), false, 0.02},
        Union{"arm", box, test::box_mesh(Vec3(0.3, 0.1, 0.1)), Vec3(0.5, 0.05, 0), true, 0.0125},
        Union{"two boxes", box, box, Vec3(0.3, -0.1, 0.2), false, 0.0125},
        Union{"two balls", ball, ball, Vec3(0.15, 0.1, 0), false, 0.0125}}) {
    TriangleMesh mesh = whole;
    for (const Vec3& p : part.positions) mesh.positions.push_back(p + at);
    for (Triangle t : part.triangles) {
      if (is_reversed) std::swap(t[1], t[2]);
      for (int& v : t) v += whole.vertex_count();
      mesh.triangles.push_back(t);
    }
    const auto field = mesh_level_set(mesh.positions, mesh.triangles, {voxel, 2 * voxel}).field;
    const double blur = 0.75 * voxel + (whole.vertex_count() == 8 ? 0.0 : 0.01);  // a ball is a polyhedron
    for (int i = 0; i < 20000; ++i) {
      const Vec3 p(side(random), side(random), side(random));
      const double truth = std::min(distance_to(whole, p), distance_to(part, p - at));
      if (std::abs(truth) > blur) {
        EXPECT_EQ(truth < 0, field->distance(p) < 0) << name << ": " << p.transpose();
      }
    }
    for (const Vec3& p : mesh.positions) EXPECT_LE(field->distance(p), 1e-6 * voxel) << name;
  }
}

// A body that the grid does not hold is a gap as wide as the grid knows, and never left out.
TEST(LevelSet, PointsFarOutsideOfTheGridsBodyAreAGap) {
  const TriangleMesh box = test::box_mesh(test::kHalfBox);
  const MeshDistances distances =
      mesh_distances(box.positions, box.triangles, {.voxel = 0.02, .half_width = 0.1});
  const auto gap_of = [&](const Vec3& point) { return LevelSet(distances.grid, {point}).largest_gap(); };
  EXPECT_EQ(gap_of(Vec3(0, 0, 0)), 0);
  EXPECT_NEAR(gap_of(Vec3(0.53, 0, 0)), 0.03, 0.001);
  EXPECT_NEAR(gap_of(Vec3(0.9, 0, 0)), 0.1, 1e-6);
  EXPECT_NEAR(gap_of(Vec3(9, 0, 0)), 0.1, 1e-6);
}

std::string refusal(const TriangleMesh& mesh, double voxel) {
  try {
    mesh_level_set(mesh.positions, mesh.triangles, {voxel, kBand});
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

// A corner given twice in one place, with two triangles of no area between: as at a pole, or along a seam.
TEST(LevelSet, TrianglesWithoutAnAreaDoNoHarm) {
  constexpr double kVoxel = 0.05;
  const TriangleMesh box = test::box_mesh(test::kHalfBox);
  for (int corner = 0; corner < 3; ++corner) {
    TriangleMesh mesh = box;
    Triangle& cut = mesh.triangles[4];
    const int a = cut[corner], b = cut[(corner + 1) % 3], c = cut[(corner + 2) % 3];
    const int twin = mesh.vertex_count();
    mesh.positions.push_back(mesh.positions[a]);
    cut = {twin, b, c};
    mesh.triangles.push_back({a, b, twin});
    mesh.triangles.push_back({a, twin, c});
    const auto level_set = mesh_level_set(mesh.positions, mesh.triangles, {kVoxel, kBand});
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> side(-1.0, 1.0);
    double largest = 0;
    for (int i = 0; i < 20000; ++i) {
      const Vec3 p(side(random), side(random), side(random));
      const double truth = test::box_distance(test::kHalfBox, p);
      if (truth < 0 || truth > kBand) continue;
      const double error = std::abs(level_set.field->distance(p) - truth);
      ASSERT_TRUE(std::isfinite(error));
      largest = std::max(largest, error / kVoxel);
    }
    EXPECT_LT(largest, 0.4) << "voxels, as of the box itself";
  }
}

TEST(LevelSet, OpenThinAndHugeMeshesAreRefused) {
  TriangleMesh open = test::box_mesh(test::kHalfBox);
  open.triangles.pop_back();
  EXPECT_NE(refusal(open, 0.05).find("edge (3, 5) belongs to 1 triangle:"), std::string::npos)
      << refusal(open, 0.05);
  EXPECT_NE(refusal({}, 0.05).find("no triangle"), std::string::npos);
  const std::string huge = refusal(test::box_mesh(test::kHalfBox), 1e-4),
                    before = "million voxels; use voxels of ";
  ASSERT_NE(huge.find(before), std::string::npos) << huge;
  const double h = std::stod(huge.substr(huge.find(before) + before.size()));
  const Vec3 half = test::kHalfBox;
  const double area = 8 * (half.x() * half.y() + half.y() * half.z() + half.z() * half.x());
  EXPECT_LE(area * 2 * (kBand + LevelSet::kMargin * h) / (h * h * h), kMaxMeshVoxels) << huge;
}

// A plate may be thinner than a voxel: then it is thickened, or refused; it never vanishes.
TEST(LevelSet, ThinPlatesDoNotVanish) {
  for (const double thickness : {0.2, 0.1, 0.05, 0.02, 0.005}) {
    const Vec3 half(0.4, 0.5 * thickness, 0.4);
    const TriangleMesh plate = test::turned(test::box_mesh(half), kTurn);
    try {
      const auto field = mesh_level_set(plate.positions, plate.triangles, {0.05, kBand}).field;
      for (int i = 0; i <= 100; ++i)
        for (int j = 0; j <= 100; ++j) {
          const Vec3 p(0.8 * (i / 100.0 - 0.5), half.y(), 0.8 * (j / 100.0 - 0.5));
          EXPECT_LE(field->distance(kTurn * p), 0.01 * 0.05) << thickness;
        }
    } catch (const InputError& e) {
      EXPECT_LT(thickness, 0.05);
    }
  }
}

}  // namespace
}  // namespace keydrape
