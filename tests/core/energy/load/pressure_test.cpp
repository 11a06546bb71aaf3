// Pressure: what it does to a sheet, to a closed mesh, and to a balloon.

#include "core/energy/load/pressure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/bodies.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

ClothDescription under_pressure(TriangleMesh mesh, double pressure) {
  ClothDescription cloth = cloth_of(std::move(mesh), cotton(), Vec3(0, 0, 0));
  cloth.pressure = Pressure::Shared{pressure};
  return cloth;
}

// A flat sheet that nothing holds is pushed along its normal, all alike: by p over its mass per area.
TEST(PressureTest, PushesASheetAlongItsNormals) {
  const ClothDescription cloth = under_pressure(sheet(5, 4, Vec2(0.5, 0.4)), 3.0);
  const double h = 0.01;
  const Motion motion = run(build_model(cloth), options_of(h, 1e-12), at_rest_in(cloth), 1);
  const VecX way = motion.states.back().x - motion.states.front().x;
  const Triangle& t = cloth.mesh.triangles.front();
  const Vec3 normal = (cloth.mesh.positions[t[1]] - cloth.mesh.positions[t[0]])
                          .cross(cloth.mesh.positions[t[2]] - cloth.mesh.positions[t[0]])
                          .normalized();
  for (int i = 0; i < cloth.mesh.vertex_count(); ++i)
    EXPECT_LT((at(way, i) - h * h * 3.0 / cloth.material.density * normal).norm(), 1e-12);
}

// Laplace: the pressure in a sphere is twice its tension over its radius. With a membrane of modulus E and
// thickness t, and a little strain e, the tension is E t e/(1 - nu).
TEST(PressureTest, ABalloonGrowsByLaplacesLaw) {
  const double radius = 0.2, pressure = 20.0, young_thickness = 400.0, poisson = 0.3;
  const double strain = pressure * radius * (1 - poisson) / (2 * young_thickness);
  double before = 1.0;
  for (const int levels : {2, 3}) {
    ClothDescription cloth = under_pressure(sphere_mesh(radius, levels), pressure);
    cloth.material.isotropic = Isotropic{young_thickness / cloth.material.thickness, poisson};
    const VecX rest = stacked(cloth.mesh.positions);
    const Model model = build_model(cloth);
    const DrapeResult settled = settle(model, rest, 1e-6);
    ASSERT_TRUE(settled.is_settled);
    double mean = 0.0;
    Vec3 middle = Vec3::Zero();
    for (int i = 0; i < cloth.mesh.vertex_count(); ++i)
      middle += at(settled.x, i) / cloth.mesh.vertex_count();
    for (int i = 0; i < cloth.mesh.vertex_count(); ++i)
      mean += (at(settled.x, i) - middle).norm() / cloth.mesh.vertex_count();
    const double miss = std::abs(mean / radius - 1 - strain) / strain;
    EXPECT_LT(miss, 0.05) << levels;
    EXPECT_LT(miss, before) << levels;
    before = miss;
    EXPECT_LT((middle - Vec3::Zero()).norm(), 1e-6 * radius);  // its sum is zero
  }
}

TEST(PressureTest, IsNoStoredEnergyAndFollowsTime) {
  ClothDescription cloth = under_pressure(square(3, 0.3), 0.0);
  cloth.pressure->difference = Animated<double>({{0.0, 0.0}, {0.1, 5.0}});
  const Model model = build_model(cloth);
  const Motion motion = run(model, options_of(0.05, 1e-12), at_rest_in(cloth), 2);
  // Twice the force in the second step: h^2 a (1/2), then 2 (1/2) + 1 of it more.
  const double first = at(motion.states[1].x - motion.states[0].x, 0).norm(),
               second = at(motion.states[2].x - motion.states[1].x, 0).norm();
  EXPECT_NEAR(second, 3.0 * first, 1e-12);
  EXPECT_LT(elastic_energy(model, motion.states[2], 0.05, 0.1), 1e-12);
}

}  // namespace
}  // namespace keydrape
