// The broad phase against all pairs, and that it is the same for every tree and number of threads.

#include "core/contact/pairs/broad_phase.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <random>

#include "core/mesh/topology.h"
#include "tests/support/contact_stencils.h"
#include "tests/support/meshes.h"

namespace keydrape::test {
namespace {

struct Scene {
  ContactSurface surface;
  VecX x, y;
};

// A sheet folded over itself that moves, and a body of the same shape below it.
Scene folded_sheet(int n, double motion) {
  TriangleMesh mesh = square(n, 1.0);
  std::mt19937_64 rng(1);
  for (Vec3& p : mesh.positions)
    p = Vec3(0.2 * std::sin(8 * p.x()), p.y(), 0.03 * p.x() + 1e-3 * uniform(rng, -1, 1));
  const int cloth_count = mesh.vertex_count();
  Scene scene;
  for (int body = 0; body < 2; ++body)
    for (const Triangle& t : square(n, 1.0).triangles)
      scene.surface.faces.push_back(
          {t[0] + body * cloth_count, t[1] + body * cloth_count, t[2] + body * cloth_count});
  std::vector<Vec3> positions = mesh.positions;
  for (const Vec3& p : mesh.positions) positions.push_back(p - Vec3(0.1, 0.05, 0.02));
  scene.surface.edges = build_topology(scene.surface.faces, 2 * cloth_count).edges;
  for (int v = 0; v < 2 * cloth_count; ++v) {
    scene.surface.vertices.push_back(v);
    scene.surface.is_cloth.push_back(v < cloth_count);
  }
  scene.x = stacked(positions);
  scene.y = scene.x + VecX::NullaryExpr(scene.x.size(), [&] { return uniform(rng, -motion, motion); });
  return scene;
}

template <size_t N>
Box box_of(const std::array<int, N>& part, const Scene& scene, double margin) {
  Box box;
  for (int v : part)
    for (const VecX* at : {&scene.x, &scene.y}) {
      const Vec3 p = at->segment<3>(3 * v);
      box.add({p.array() - margin, p.array() + margin});
    }
  return box;
}

template <size_t N, size_t M>
bool is_wanted(const std::array<int, N>& a, const std::array<int, M>& b, const Scene& scene, double reach) {
  bool any_cloth = false;
  for (int v : a) any_cloth |= scene.surface.is_cloth[v] != 0;
  for (int v : b) any_cloth |= scene.surface.is_cloth[v] != 0;
  for (int v : a)
    if (std::find(b.begin(), b.end(), v) != b.end()) return false;
  return any_cloth && overlap(box_of(a, scene, 0.5 * reach), box_of(b, scene, 0.5 * reach));
}

TEST(BroadPhase, FindsWhatAllPairsFind) {
  const Scene scene = folded_sheet(8, 0.02);
  const double reach = 0.01;
  const CandidatePairs found = BroadPhase(scene.surface, scene.x).candidates(scene.x, scene.y, reach);
  const ContactSurface& s = scene.surface;
  CandidatePairs all;
  for (int v : s.vertices)
    for (int f = 0; f < static_cast<int>(s.faces.size()); ++f)
      if (is_wanted(std::array{v}, s.faces[f], scene, reach)) all.vertex_faces.push_back({v, f});
  for (int a = 0; a < static_cast<int>(s.edges.size()); ++a)
    for (int b = a + 1; b < static_cast<int>(s.edges.size()); ++b)
      if (is_wanted(s.edges[a], s.edges[b], scene, reach)) all.edge_edges.push_back({a, b});
  EXPECT_GT(all.vertex_faces.size(), 500u);
  EXPECT_GT(all.edge_edges.size(), 2000u);
  EXPECT_TRUE(found.vertex_faces == all.vertex_faces);
  EXPECT_TRUE(found.edge_edges == all.edge_edges);
}

TEST(BroadPhase, DoesNotDependOnTreeOrThreads) {
  const Scene scene = folded_sheet(30, 0.01);
  const CandidatePairs pairs = BroadPhase(scene.surface, scene.x).candidates(scene.x, scene.y, 0.005);
  EXPECT_TRUE(std::is_sorted(pairs.edge_edges.begin(), pairs.edge_edges.end()));
  EXPECT_TRUE(std::is_sorted(pairs.vertex_faces.begin(), pairs.vertex_faces.end()));
  for (int threads : {1, 2, 4}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    std::mt19937_64 rng(threads);
    const VecX elsewhere = VecX::NullaryExpr(scene.x.size(), [&] { return uniform(rng, -1, 1); });
    const CandidatePairs again = BroadPhase(scene.surface, elsewhere).candidates(scene.x, scene.y, 0.005);
    EXPECT_TRUE(again.vertex_faces == pairs.vertex_faces);
    EXPECT_TRUE(again.edge_edges == pairs.edge_edges);
  }
}

TEST(BroadPhase, FindsNothingInNothing) {
  const VecX x = VecX::Zero(9);
  const CandidatePairs pairs = BroadPhase({{}, {}, {}, {1, 1, 1}}, x).candidates(x, x, 0.1);
  EXPECT_TRUE(pairs.vertex_faces.empty());
  EXPECT_TRUE(pairs.edge_edges.empty());
}

}  // namespace
}  // namespace keydrape::test
