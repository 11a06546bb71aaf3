// Coarser meshes: what they keep of the finer one, and where its vertices lie on them.

#include "core/mesh/coarse_mesh.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/mesh/topology.h"
#include "tests/support/meshes.h"

namespace keydrape {
namespace {

double area(const TriangleMesh& mesh) {
  double sum = 0.0;
  for (const auto& [a, b, c] : mesh.triangles)
    sum += 0.5 * (mesh.positions[b] - mesh.positions[a]).cross(mesh.positions[c] - mesh.positions[a]).norm();
  return sum;
}

double uv_area(const TriangleMesh& mesh, int t) {
  const auto& [a, b, c] = mesh.uv_triangles[t];
  const Vec2 e = mesh.uvs[b] - mesh.uvs[a], f = mesh.uvs[c] - mesh.uvs[a];
  return 0.5 * (e.x() * f.y() - e.y() * f.x());
}

void expect_same_kind(const TriangleMesh& fine, const TriangleMesh& coarse) {
  const Topology before = build_topology(fine.triangles, fine.vertex_count());
  const Topology after = build_topology(coarse.triangles, coarse.vertex_count());
  EXPECT_FALSE(find_mesh_defect(coarse, after).has_value()) << *find_mesh_defect(coarse, after);
  EXPECT_EQ(after.component_count, before.component_count);
  EXPECT_EQ(after.boundary_loop_count, before.boundary_loop_count);
  const auto euler = [](const TriangleMesh& mesh, const Topology& topology) {
    return mesh.vertex_count() - static_cast<int>(topology.edges.size()) + mesh.triangle_count();
  };
  EXPECT_EQ(euler(coarse, after), euler(fine, before));
}

// A tube about the y axis with a seam of texture coordinates along it.
TriangleMesh tube(int around, int along, double radius, double length) {
  TriangleMesh mesh;
  for (int j = 0; j <= along; ++j) {
    for (int i = 0; i < around; ++i) {
      const double angle = 2.0 * M_PI * i / around;
      mesh.positions.emplace_back(radius * std::cos(angle), length * j / along, -radius * std::sin(angle));
    }
    for (int i = 0; i <= around; ++i)
      mesh.uvs.emplace_back(2.0 * M_PI * radius * i / around, length * j / along);
  }
  for (int j = 0; j < along; ++j)
    for (int i = 0; i < around; ++i) {
      const int a = j * around + i, b = j * around + (i + 1) % around, c = b + around, d = a + around;
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({a, c, d});
      const int p = j * (around + 1) + i, q = p + 1, r = q + around + 1, s = p + around + 1;
      mesh.uv_triangles.push_back({p, q, r});
      mesh.uv_triangles.push_back({p, r, s});
    }
  return mesh;
}

TEST(CoarseMesh, AFlatSheetKeepsItsOutline) {
  const TriangleMesh fine = test::distorted(test::square(20, 1.0), Vec2(1, 1), 0.3, 1);
  const CoarseMesh coarse = coarsen_mesh(fine, fine.vertex_count() / 4, {});
  EXPECT_EQ(coarse.mesh.vertex_count(), fine.vertex_count() / 4);
  expect_same_kind(fine, coarse.mesh);
  EXPECT_NEAR(area(coarse.mesh), area(fine), 1e-12);
  // Its edges are about as long everywhere: twice the finer mesh's.
  const Topology topology = build_topology(coarse.mesh.triangles, coarse.mesh.vertex_count());
  double longest = 0.0;
  for (const auto& [i, j] : topology.edges)
    longest = std::max(longest, (coarse.mesh.positions[i] - coarse.mesh.positions[j]).norm());
  EXPECT_LE(longest, 5.0 / 20);
}

TEST(CoarseMesh, LinearFunctionsGoDownAndUpUnchanged) {
  const TriangleMesh fine = test::distorted(test::square(15, 1.0), Vec2(1, 1), 0.3, 2);
  const VertexEmbedding embedding = coarsen_mesh(fine, 60, {}).embedding;
  Mat3 A;
  A << 1, 2, 3, -4, 5, 6, 7, -8, 9;
  VecX linear(3 * fine.vertex_count());
  for (int i = 0; i < fine.vertex_count(); ++i) {
    linear.segment<3>(3 * i) = A * fine.positions[i] + Vec3(1, 2, 3);
    EXPECT_NEAR(embedding.weights[i].sum(), 1.0, 1e-12);
    EXPECT_GE(embedding.weights[i].minCoeff(), -1e-15);
  }
  EXPECT_LE((embedding.prolonged(embedding.restricted(linear)) - linear).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(CoarseMesh, RestrictingWhatWasProlongedChangesNothing) {
  const TriangleMesh fine = test::square(10, 1.0);
  const VertexEmbedding embedding = coarsen_mesh(fine, 40, {}).embedding;
  const VecX coarse = VecX::Random(3 * embedding.coarse_count());
  EXPECT_EQ(embedding.restricted(embedding.prolonged(coarse)), coarse);
  EXPECT_EQ(VertexEmbedding::identity(9).prolonged(VecX::Ones(27)), VecX::Ones(27));
}

TEST(CoarseMesh, EverySetKeepsAVertex) {
  const TriangleMesh fine = test::square(12, 1.0);
  std::mt19937_64 random(3);
  std::vector<std::vector<int>> sets = {{84}, {30, 31, 32}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
  for (int s = 0; s < 5; ++s) {
    const int first = static_cast<int>(random() % 100);
    sets.push_back({first, first + 1, first + 13});
  }
  const std::vector<int> kept = coarsen_mesh(fine, 20, sets).embedding.kept;
  for (const std::vector<int>& set : sets)
    EXPECT_TRUE(std::any_of(set.begin(), set.end(),
                            [&](int v) { return std::binary_search(kept.begin(), kept.end(), v); }));
  EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), 84));
}

TEST(CoarseMesh, PanelsKeepTheirSeams) {
  TriangleMesh fine = tube(40, 20, 0.15, 0.5);
  fine.groups["rim"] = {0, 1, 2, 3};
  const CoarseMesh coarse = coarsen_mesh(fine, fine.vertex_count() / 4, {{0, 1, 2, 3}});
  EXPECT_LE(coarse.mesh.vertex_count(), fine.vertex_count() / 3);
  expect_same_kind(fine, coarse.mesh);
  double panels = 0.0;
  for (int t = 0; t < coarse.mesh.triangle_count(); ++t) {
    EXPECT_GT(uv_area(coarse.mesh, t), 0.0);
    panels += uv_area(coarse.mesh, t);
    // The chart is the surface unrolled: one that crossed the seam would be as wide as the
    // tube's circumference.
    const auto& [a, b, c] = coarse.mesh.uv_triangles[t];
    EXPECT_LE((coarse.mesh.uvs[b] - coarse.mesh.uvs[a]).norm(), 0.3);
    EXPECT_LE((coarse.mesh.uvs[c] - coarse.mesh.uvs[a]).norm(), 0.3);
  }
  EXPECT_NEAR(panels, 2.0 * M_PI * 0.15 * 0.5, 1e-12);
  EXPECT_FALSE(coarse.mesh.groups.at("rim").empty());
}

// A lightmap gives every triangle a piece of its own: as panels it cannot be coarser, as directions of
// threads it can.
TEST(CoarseMesh, DirectionsOfThreadsSurviveSeams) {
  TriangleMesh fine = test::distorted(test::square(12, 1.0), Vec2(1, 1), 0.3, 4);
  for (int t = 0; t < fine.triangle_count(); ++t) {
    for (const int v : fine.triangles[t])
      fine.uvs.push_back(fine.positions[v].head<2>() + Vec2(2.0 * t, 0.0));
    fine.uv_triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  EXPECT_EQ(coarsen_mesh(fine, 40, {}).mesh.vertex_count(), fine.vertex_count());
  const TriangleMesh coarse = coarsen_mesh(fine, 40, {}, Panels::kDirections).mesh;
  EXPECT_EQ(coarse.vertex_count(), 40);
  for (int t = 0; t < coarse.triangle_count(); ++t)
    for (int c = 1; c < 3; ++c) {
      const Vec3 edge = coarse.positions[coarse.triangles[t][c]] - coarse.positions[coarse.triangles[t][0]];
      const Vec2 uv_edge = coarse.uvs[coarse.uv_triangles[t][c]] - coarse.uvs[coarse.uv_triangles[t][0]];
      EXPECT_LE((uv_edge - edge.head<2>()).norm(), 1e-9);
    }
}

TEST(CoarseMesh, LayersOnTopOfEachOtherDoNotMix) {
  TriangleMesh fine = test::square(10, 1.0);
  const TriangleMesh lower = fine;
  const int count = lower.vertex_count();
  for (const Vec3& p : lower.positions) fine.positions.push_back(p + Vec3(0.013, 0.007, 1e-6));
  for (const auto& [a, b, c] : lower.triangles) fine.triangles.push_back({a + count, b + count, c + count});
  const CoarseMesh coarse = coarsen_mesh(fine, fine.vertex_count() / 4, {});
  expect_same_kind(fine, coarse.mesh);
  for (int v = 0; v < fine.vertex_count(); ++v)
    for (const int corner : coarse.embedding.corners[v])
      EXPECT_EQ(coarse.embedding.kept[corner] < count, v < count);
}

TEST(CoarseMesh, WhatCannotBeCoarserStays) {
  const TriangleMesh fine = test::square(1, 1.0);
  EXPECT_EQ(coarsen_mesh(fine, 1, {}).mesh.vertex_count(), 4);
}

}  // namespace
}  // namespace keydrape
