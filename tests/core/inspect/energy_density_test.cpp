#include "core/inspect/energy_density.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "core/cloth/cloth.h"

namespace keydrape {
namespace {

// A sheet of 5 by 5 vertices, bent about one axis and stretched, that may grow.
ClothDescription sheet(bool curved, double growth = 1.0) {
  ClothDescription cloth;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      cloth.mesh.positions.emplace_back(0.1 * j, 0.1 * i, curved ? 0.02 * j * j : 0.0);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const int v = 5 * i + j;
      cloth.mesh.triangles.push_back({v, v + 1, v + 5});
      cloth.mesh.triangles.push_back({v + 1, v + 6, v + 5});
    }
  cloth.material = material_presets()[0].material;
  cloth.stretch_scale = Vec2(growth, 1.0);
  return cloth;
}

VecX deformed(const ClothDescription& cloth) {
  VecX x = stacked(cloth.mesh.positions);
  for (Eigen::Index i = 0; i < x.size(); i += 3) {
    x[i] *= 1.01;
    x[i + 2] += 0.05 * std::sin(9 * x[i]) + 0.01 * x[i + 1];
  }
  return x;
}

// The sum over the cloth is the energy that the model stores.
TEST(EnergyDensity, AddsUpToTheElasticEnergy) {
  for (const auto bending : {BendingModel::kQuadratic, BendingModel::kVertex, BendingModel::kHinge}) {
    const bool curved = bending == BendingModel::kHinge;
    ClothDescription cloth = sheet(curved, 1.003);
    cloth.bending = bending;
    const Model model = build_model(cloth);
    const VecX x = deformed(cloth), v = VecX::Zero(x.size());
    double expected = 0.0;
    for (const auto& energy : model.energies()) expected += energy->begin_step({1.0, 0.0, x, v})->value(x);
    ASSERT_GT(expected, 1e-6);
    const VecX density = EnergyDensity(model, cloth.mesh.triangles).at(x, 0.0);
    double sum = 0.0;
    for (int t = 0; t < cloth.mesh.triangle_count(); ++t) {
      const auto& [a, b, c] = cloth.mesh.triangles[static_cast<std::size_t>(t)];
      const auto& p = cloth.mesh.positions;
      const Vec3 u = p[static_cast<std::size_t>(b)] - p[static_cast<std::size_t>(a)];
      const Vec3 w = p[static_cast<std::size_t>(c)] - p[static_cast<std::size_t>(a)];
      sum += 0.5 * u.cross(w).norm() * density[t];
    }
    EXPECT_NEAR(sum, expected, 1e-12 * expected) << static_cast<int>(bending);
  }
}

TEST(EnergyDensity, IsZeroAtRestWhereClothBuckles) {
  ClothDescription cloth = sheet(false);
  cloth.material.compression.law = Compression::Law::kBuckling;
  cloth.bending = BendingModel::kQuadratic;
  const Model model = build_model(cloth);
  const EnergyDensity density(model, cloth.mesh.triangles);
  EXPECT_LT(density.at(stacked(cloth.mesh.positions), 0.0).cwiseAbs().maxCoeff(), 1e-20);
}

TEST(EnergyDensity, IsZeroAtRestAndUniformUnderUniformStretch) {
  ClothDescription cloth = sheet(false);
  cloth.material.compression = {};  // no slack
  cloth.bending = BendingModel::kQuadratic;
  const Model model = build_model(cloth);
  const EnergyDensity density(model, cloth.mesh.triangles);
  VecX x = stacked(cloth.mesh.positions);
  EXPECT_LT(density.at(x, 0.0).cwiseAbs().maxCoeff(), 1e-20);
  for (Eigen::Index i = 0; i < x.size(); i += 3) x[i] *= 1.1;
  // Stretch of one family of threads by a tenth, and no shear: k/2 0.1^2.
  const double k = cloth.material.k_warp;
  const VecX stretched = density.at(x, 0.0);
  EXPECT_NEAR(stretched.minCoeff(), stretched.maxCoeff(), 1e-9 * k);
  EXPECT_TRUE(std::abs(stretched[0] - 0.5 * k * 0.01) < 1e-9 * k ||
              std::abs(stretched[0] - 0.5 * cloth.material.k_weft * 0.01) < 1e-9 * k);
}

}  // namespace
}  // namespace keydrape
