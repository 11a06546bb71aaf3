#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "core/mesh/topology.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr int kAround = 24, kUp = 8;  // cells round the tube and along it
constexpr double kRadius = 0.1, kHeight = 0.3;

// A tube round the y axis, of two flat panels that are sewn together along two seams: a vertex on a
// seam has a texture coordinate in either panel. `scale`: texture units a metre. The panels lie apart
// and at different heights.
TriangleMesh tube(double scale) {
  TriangleMesh mesh;
  const double chord = 2 * kRadius * std::sin(std::numbers::pi / kAround), rise = kHeight / kUp;
  for (int j = 0; j <= kUp; ++j)
    for (int i = 0; i < kAround; ++i) {
      const double angle = 2 * std::numbers::pi * i / kAround;
      mesh.positions.emplace_back(kRadius * std::sin(angle), rise * j, kRadius * std::cos(angle));
    }
  constexpr int kHalf = kAround / 2, kRow = kHalf + 1, kPanel = kRow * (kUp + 1);
  for (int panel : {0, 1})
    for (int j = 0; j <= kUp; ++j)
      for (int i = 0; i <= kHalf; ++i)
        mesh.uvs.push_back(scale * Vec2(chord * i + 1.0 * panel, rise * j + 0.25 * panel));
  for (int j = 0; j < kUp; ++j)
    for (int i = 0; i < kAround; ++i) {
      const int right = (i + 1) % kAround;
      const std::array<int, 4> cell{j * kAround + i, j * kAround + right, (j + 1) * kAround + right,
                                    (j + 1) * kAround + i};
      const int a = (i / kHalf) * kPanel + j * kRow + i % kHalf;
      const std::array<int, 4> uv_cell{a, a + 1, a + 1 + kRow, a + kRow};
      const int turn = (i + j) % 2;  // diagonals alternate
      for (const Triangle& c : {Triangle{0, 1, 2}, Triangle{0, 2, 3}}) {
        const int p = (c[0] + turn) % 4, q = (c[1] + turn) % 4, r = (c[2] + turn) % 4;
        mesh.triangles.push_back({cell[p], cell[q], cell[r]});
        mesh.uv_triangles.push_back({uv_cell[p], uv_cell[q], uv_cell[r]});
      }
    }
  return mesh;
}

RestOptions panels(std::optional<double> meters_per_uv) { return {RestSource::kUv, meters_per_uv, {}}; }

TEST(UvPanels, GiveLengthsAndFlatHinges) {
  for (double scale : {1.0, 4.0}) {
    const TriangleMesh mesh = tube(scale);
    const Topology topology = build_topology(mesh.triangles, mesh.vertex_count());
    ASSERT_FALSE(find_mesh_defect(mesh, topology));
    const RestShape rest = build_rest_shape(mesh, topology, panels({}));  // the same area as the mesh
    EXPECT_NEAR(rest.meters_per_uv, 1 / scale, 1e-12 / scale);
    ASSERT_EQ(rest.hinge_angles.size(), topology.hinges.size());
    for (double angle : rest.hinge_angles) EXPECT_EQ(angle, 0.0);
    double worst = 0.0;
    for (size_t t = 0; t < mesh.triangles.size(); ++t)
      for (int c = 0; c < 3; ++c) {
        const double there =
            (mesh.positions[mesh.triangles[t][c]] - mesh.positions[mesh.triangles[t][(c + 1) % 3]]).norm();
        worst =
            std::max(worst, std::abs((rest.corners[t][c] - rest.corners[t][(c + 1) % 3]).norm() / there - 1));
      }
    std::printf("panels at %.0f texture units a metre: lengths off by %.1e (relative)\n", scale, worst);
    EXPECT_LE(worst, 1e-12);
  }
}

TEST(UvPanels, SewnRoundATubeStoreBendingAlone) {
  // Without bending the tube is at rest; with it, it stores 1.40 bend/2 (1/R)^2 a unit area: its vertices are
  // held on a cylinder, where this grid is stiffer than at rest (bending_calibration.h).
  ClothDescription cloth = cloth_of(tube(1.0), cotton(), Vec3::Zero());
  cloth.rest = panels({});
  cloth.bending = BendingModel::kHinge;
  const VecX x0 = stacked(cloth.mesh.positions);
  const State state{x0, VecX::Zero(x0.size())};
  const double bent = elastic_energy(build_model(cloth), state, 0.01, 0.0);
  cloth.material.bend = 0.0;
  const double unbent = elastic_energy(build_model(cloth), state, 0.01, 0.0);
  const double expected = 1.40 * 0.5 * 1e-5 / (kRadius * kRadius) * 2 * std::numbers::pi * kRadius * kHeight;
  std::printf("tube of flat panels: bending %.4e J, expected %.4e J (%+.2f %%); membrane %.1e J\n",
              bent - unbent, expected, 100 * ((bent - unbent) / expected - 1), unbent);
  EXPECT_LE(unbent, 1e-10 * expected);
  EXPECT_NEAR(bent - unbent, expected, 0.05 * expected);
}

TEST(UvPanels, ScaleOfTextureCoordinatesDropsOut) {
  std::vector<Motion> motions;
  for (const auto& [scale, meters_per_uv] : {std::pair(1.0, 1.0), {2.0, 0.5}}) {
    ClothDescription cloth = cloth_of(tube(scale), cotton(0.005), Vec3(0, -9.81, 0));
    cloth.rest = panels(meters_per_uv);
    const VecX x0 = stacked(cloth.mesh.positions);
    cloth.pins = {held(x0, vertices_where(cloth.mesh, [](const Vec3& p) { return p.y() > kHeight - 1e-9; }))};
    motions.push_back(run(build_model(cloth), options_of(1.0 / 96), {x0, VecX::Zero(x0.size())}, 10));
    EXPECT_EQ(motions.back().unconverged(), 0);
  }
  for (int n = 1; n <= 10; ++n) ASSERT_EQ(motions[0].states[n].x, motions[1].states[n].x) << "step " << n;
}

}  // namespace
}  // namespace keydrape
