// Cloth of springs: what sheet it comes to.

#include "core/cloth/spring_fabric.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "core/base/error.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kEdge = 0.1, kModulus = 800.0;

// Equilateral triangles, rows of `count` rhombi.
TriangleMesh lattice(int count) {
  TriangleMesh mesh;
  const int side = count + 1;
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i)
      mesh.positions.emplace_back(kEdge * (i + 0.5 * j), kEdge * std::sqrt(0.75) * j, 0.0);
  for (int j = 0; j < count; ++j)
    for (int i = 0; i < count; ++i) {
      const int a = i + j * side, b = a + 1, c = a + side, d = c + 1;
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({b, d, c});
    }
  return mesh;
}

ClothDescription of_springs(double bend) {
  ClothDescription cloth = cloth_of(lattice(12), cotton(), Vec3(0, 0, 0));
  cloth.model = ClothModel::kSprings;
  cloth.material.k_warp = 0.5 * kModulus, cloth.material.k_weft = 1.5 * kModulus;
  cloth.material.bend = bend;
  return cloth;
}

double stored(const Model& model, const VecX& x) {
  return elastic_energy(model, {x, VecX::Zero(x.size())}, 1.0, 0.0);
}

SpringFabric fabric_of(const ClothDescription& cloth) {
  const Topology topology = build_topology(cloth.mesh.triangles, cloth.mesh.vertex_count());
  const RestShape rest = build_rest_shape(cloth.mesh, topology, cloth.rest);
  std::vector<RestTriangle> triangles;
  for (const RestCorners& p : rest.corners) triangles.push_back(RestTriangle::from_corners(p[0], p[1], p[2]));
  return spring_fabric(cloth, topology, rest, triangles);
}

double area_of(const ClothDescription& cloth) {
  return std::sqrt(0.75) / 2 * kEdge * kEdge * cloth.mesh.triangle_count();
}

// Stretched by e along a direction and by -nu e across, a sheet of that Poisson ratio stores E2 e^2/2 per
// area, the least over all nu.
TEST(SpringFabric, IsASheetOfTheModulusAndAThird) {
  for (const double bend : {0.0, 1e-4}) {
    const ClothDescription cloth = of_springs(bend);
    const Model model = build_model(cloth);
    const double area = area_of(cloth), e = 0.01;
    for (const double angle : {0.0, 0.3, 0.9, M_PI / 6}) {
      const Vec3 t(std::cos(angle), std::sin(angle), 0), n(-std::sin(angle), std::cos(angle), 0);
      const auto energy = [&](double nu) {
        VecX x = stacked(cloth.mesh.positions);
        for (int i = 0; i < model.vertex_count(); ++i) {
          const Vec3 p = at(x, i);
          x.segment<3>(3 * i) += e * t.dot(p) * t - nu * e * n.dot(p) * n;
        }
        return stored(model, x) / area;
      };
      const double left = energy(0.23), middle = energy(0.33), right = energy(0.43);
      const double nu = 0.33 - 0.05 * (right - left) / (right - 2 * middle + left);
      const double modulus = 2 * energy(nu) / (e * e);
      // Springs across hinges are missing along the border, have a slack, and give way where they are pushed.
      const double within = bend > 0.0 ? 0.08 : 0.015;
      EXPECT_NEAR(nu, 1.0 / 3, bend > 0.0 ? 0.04 : 0.01) << angle;
      EXPECT_NEAR(modulus, kModulus, within * kModulus) << angle;
    }
  }
}

// Bent to a cylinder it stores bend kappa^2/2 per area, beyond a bend that the slack takes up; what springs
// along edges store, whose chords are shorter than arcs, is not counted.
TEST(SpringFabric, BendsAsTheSheetDoes) {
  const double bend = 5e-5, kappa = 4.0;
  const ClothDescription cloth = of_springs(bend);
  const Topology topology = build_topology(cloth.mesh.triangles, cloth.mesh.vertex_count());
  const SpringFabric fabric = fabric_of(cloth);
  ASSERT_EQ(fabric.across_hinges.size(), topology.hinges.size());
  for (const double angle : {0.0, 0.5, M_PI / 6}) {
    const Vec3 t(std::cos(angle), std::sin(angle), 0);
    VecX x = stacked(cloth.mesh.positions);
    for (int i = 0; i < cloth.mesh.vertex_count(); ++i) {
      const Vec3 p = at(x, i);
      const double s = kappa * t.dot(p);
      x.segment<3>(3 * i) = p + (std::sin(s) / kappa - t.dot(p)) * t + Vec3(0, 0, (1 - std::cos(s)) / kappa);
    }
    double energy = 0.0, area = 0.0;
    for (size_t h = 0; h < fabric.across_hinges.size(); ++h) {
      const Spring& spring = fabric.across_hinges[h];
      const double l = (at(x, spring.vertices[1]) - at(x, spring.vertices[0])).norm();
      energy += spring.k * spring.L * spring.L * fabric.bending->value(l / spring.L - 1);
      area += 2 * std::sqrt(0.75) / 2 * kEdge * kEdge / 3;
    }
    std::printf("bent along %.2f: %.3f of the sheet's\n", angle, energy / (area * bend * kappa * kappa / 2));
    EXPECT_NEAR(energy / area, bend * kappa * kappa / 2, 0.1 * bend * kappa * kappa / 2);
  }
}

// Hung by two corners it comes to rest, near the sheet that it stands for.
TEST(SpringFabric, HangsAsTheSheetDoes) {
  ClothDescription cloth = of_springs(1e-4);
  cloth.gravity = Vec3(0, -9.81, 0);
  const VecX x = stacked(cloth.mesh.positions);
  cloth.pins = {held(x, {156, 168})};
  ClothDescription sheet = cloth;
  sheet.model = ClothModel::kSheet;
  sheet.material.isotropic = Isotropic{kModulus / cloth.material.thickness, 1.0 / 3};
  const DrapeResult a = settle(build_model(cloth), x, 1e-6), b = settle(build_model(sheet), x, 1e-6);
  ASSERT_TRUE(a.is_settled && b.is_settled);
  const double size = 12 * kEdge;
  EXPECT_LE((a.x - b.x).lpNorm<Eigen::Infinity>(), 0.1 * size);
}

// Panels that lie on each other, sewn along an edge.
TEST(SpringFabric, HasNoSpringsAcrossFoldsThatAreShut) {
  ClothDescription cloth = of_springs(1e-4);
  const auto expect_finite = [&] {
    EXPECT_TRUE(std::isfinite(stored(build_model(cloth), 1.01 * stacked(cloth.mesh.positions))));
  };
  for (const double opening : {0.0, 0.01, 0.1, 0.3, 1.0, M_PI}) {
    const Vec3 up(0.03, 0.08, 0.0), down(0.03, 0.08 * std::cos(opening), 0.08 * std::sin(opening));
    cloth.mesh = {};
    cloth.mesh.positions = {Vec3(0, 0, 0), Vec3(0.1, 0, 0), up, down};
    cloth.mesh.triangles = {{0, 1, 2}, {1, 0, 3}};
    const SpringFabric fabric = fabric_of(cloth);
    EXPECT_EQ(fabric.along_edges.size(), 5u);
    EXPECT_EQ(fabric.across_hinges.size(), opening < 0.2 ? 0u : 1u) << opening;
    for (const Spring& spring : fabric.across_hinges) EXPECT_LT(spring.k, 100 * kModulus);
    expect_finite();
  }
}

// Flat at rest, and a fold that is shut later: the spring across has no way to push.
TEST(SpringFabric, FindsSpringsWithoutADirection) {
  ClothDescription cloth = of_springs(1e-4);
  cloth.mesh = {};
  cloth.mesh.positions = {Vec3(0, 0, 0), Vec3(0.1, 0, 0), Vec3(0.03, 0.08, 0), Vec3(0.03, -0.08, 0)};
  cloth.mesh.triangles = {{0, 1, 2}, {1, 0, 3}};
  VecX x = stacked(cloth.mesh.positions);
  EXPECT_FALSE(spring_without_direction(cloth, x));
  x.segment<3>(9) = x.segment<3>(6);
  EXPECT_EQ(spring_without_direction(cloth, x), (Edge{2, 3}));
  cloth.material.bend = 0.0;
  EXPECT_FALSE(spring_without_direction(cloth, x));
  x.segment<3>(3) = x.segment<3>(0);
  EXPECT_EQ(spring_without_direction(cloth, x), (Edge{0, 1}));
  cloth.model = ClothModel::kSheet;
  EXPECT_FALSE(spring_without_direction(cloth, x));
}

TEST(SpringFabric, RefusesWhatSpringsCannotHave) {
  const auto refuses = [](const auto& change) {
    ClothDescription cloth = of_springs(1e-4);
    EXPECT_NO_THROW((void)build_model(cloth));
    change(cloth);
    EXPECT_THROW((void)build_model(cloth), InputError);
  };
  refuses([](ClothDescription& cloth) { cloth.material.strain_limit = 0.1; });
  refuses([](ClothDescription& cloth) { cloth.material.coupling = 0.3; });
  refuses([](ClothDescription& cloth) { cloth.material.shear_hysteresis = 0.1; });
  refuses([](ClothDescription& cloth) { cloth.stretch_scale = Vec2(1.1, 1.0); });
  refuses([](ClothDescription& cloth) { cloth.bending = BendingModel::kHinge; });
  refuses([](ClothDescription& cloth) { cloth.creases = {Crease{{{1, 13}}, 0.5, 1.0}}; });
}

}  // namespace
}  // namespace keydrape
