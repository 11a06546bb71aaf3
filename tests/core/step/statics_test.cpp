#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

const Vec2 kSize(1.0, 0.7);

ClothDescription distorted_cloth(BendingModel bending) {
  ClothDescription cloth =
      cloth_of(distorted(sheet(10, 7, kSize), kSize, 0.3, 5), cotton(), Vec3(0, -9.81, 0));
  cloth.bending = bending;
  return cloth;
}

template <class Map>
VecX mapped(const TriangleMesh& mesh, const Map& map) {
  VecX x(3 * mesh.vertex_count());
  for (int i = 0; i < mesh.vertex_count(); ++i) x.segment<3>(3 * i) = map(mesh.positions[i]);
  return x;
}

bool is_interior(const Vec3& p) { return p.x() > 0 && p.x() < kSize.x() && p.y() > 0 && p.y() < kSize.y(); }

TEST(Statics, AffineFieldsLeaveNoForceInside) {
  Mat3 stretched, sheared, squeezed;  // in the plane, then laid into space
  stretched << 1.1, 0, 0, 0, 0.95, 0, 0, 0, 1;
  sheared << 1, 0.2, 0, 0.1, 1.05, 0, 0, 0, 1;
  squeezed << 0.8, -0.1, 0, 0.2, 0.9, 0, 0, 0, 1;
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, 2) / 3).toRotationMatrix();
  for (BendingModel bending : {BendingModel::kHinge, BendingModel::kQuadratic}) {
    const ClothDescription cloth = distorted_cloth(bending);
    const Model model = build_model(cloth);
    double worst = 0.0;
    for (const Mat3& F : {stretched, sheared, squeezed}) {
      const VecX x = mapped(cloth.mesh, [&](const Vec3& p) { return Vec3(turn * F * p + Vec3(1, 2, 3)); });
      const VecX f = elastic_force(model, x);
      double inside = 0.0, border = 0.0;
      for (int i = 0; i < model.vertex_count(); ++i) {
        double& largest = is_interior(cloth.mesh.positions[i]) ? inside : border;
        largest = std::max(largest, at(f, i).norm());
      }
      worst = std::max(worst, inside / border);
    }
    std::printf("patch test, bending %d: force inside / at the border %.1e\n", static_cast<int>(bending),
                worst);
    EXPECT_LE(worst, 1e-10);
  }
}

TEST(Statics, RigidMotionsGiveNoForce) {
  for (BendingModel bending : {BendingModel::kHinge, BendingModel::kQuadratic}) {
    const ClothDescription cloth = distorted_cloth(bending);
    const Model model = build_model(cloth);
    // The unit: what one per cent of stretch gives.
    const double unit = elastic_force(model, mapped(cloth.mesh, [](const Vec3& p) { return Vec3(1.01 * p); }))
                            .lpNorm<Eigen::Infinity>();
    double worst = 0.0;
    for (double angle : {0.0, 0.4, 1.9, 3.1}) {
      const Mat3 turn = Eigen::AngleAxisd(angle, Vec3(2, -1, 2) / 3).toRotationMatrix();
      const VecX x = mapped(cloth.mesh, [&](const Vec3& p) { return Vec3(turn * p + Vec3(1, -2, 3)); });
      worst = std::max(worst, elastic_force(model, x).lpNorm<Eigen::Infinity>() / unit);
    }
    std::printf("rigid motions, bending %d: force / that of 1 %% stretch %.1e\n", static_cast<int>(bending),
                worst);
    EXPECT_LE(worst, 1e-10);
  }
}

TEST(Statics, HangingStripStretchesUnderItsWeight) {
  // Strain at the height s over the lower end is rho g s / E: rho g L^2 / (2 E) in all.
  const double L = 1.0, E = 100.0, rho = 0.2, g = 9.81;
  const double expected = rho * g * L * L / (2 * E);
  for (int n : {20, 40}) {
    const Vec2 size(0.1, L);
    ClothDescription cloth =
        cloth_of(sheet(n / 10, n, size), {rho, E, E, 0.0, 0.0, 0.0, 4e-4}, Vec3(0, -g, 0));
    const VecX x0 = stacked(cloth.mesh.positions);
    cloth.pins = {held(x0, vertices_where(cloth.mesh, [&](const Vec3& p) { return p.y() == L; }))};
    const DrapeResult rest = settle(build_model(cloth), x0, 1e-9);
    ASSERT_TRUE(rest.is_settled);
    double end = 0.0;
    const int columns = n / 10 + 1;
    for (int i = 0; i < columns; ++i) end += at(rest.x, i).y() / columns;
    std::printf("self-weight, %d cells: %.6f m, expected %.6f m, error %+.3f %%\n", n, -end, expected,
                100 * (-end / expected - 1));
    EXPECT_NEAR(-end, expected, 0.01 * expected);
  }
}

TEST(Statics, NarrowStripHangsAsACatenary) {
  // 2 a sinh(D/2a) = L and sag = a (cosh(D/2a) - 1): 0.292344 D at L = 1.2 D.
  const double D = 1.0, L = 1.2 * D, E = 1e4, rho = 0.2, kSag = 0.29234;
  constexpr int kCells = 60;
  const double width = L / kCells;
  ClothDescription cloth =
      cloth_of(sheet(kCells, 1, Vec2(L, width)), {rho, E, E, 0.1 * E, 1e-9, 0.0, 4e-4}, Vec3(0, 0, -9.81));
  cloth.bending = BendingModel::kHinge;
  // Starts as a V of the right length.
  const double depth = 0.5 * std::sqrt(L * L - D * D);
  const VecX start = mapped(cloth.mesh, [&](const Vec3& p) {
    const double s = std::min(p.x(), L - p.x()) / (0.5 * L);
    return Vec3(p.x() * D / L, p.y(), -depth * s);
  });
  cloth.pins = {held(start, {0, kCells, kCells + 1, 2 * kCells + 1})};
  const DrapeResult rest = settle(build_model(cloth), start, 1e-8);
  ASSERT_TRUE(rest.is_settled) << rest.rounds << " rounds, " << rest.residual << " of the weight left";
  double lowest = 0.0, length = 0.0;
  for (int i = 0; i <= 2 * kCells + 1; ++i) lowest = std::min(lowest, at(rest.x, i).z());
  for (int i = 0; i < kCells; ++i) length += (at(rest.x, i + 1) - at(rest.x, i)).norm();
  std::printf("catenary: sag/D %.5f, expected %.5f, error %+.3f %%; length %.5f D, %d rounds\n", -lowest / D,
              kSag, 100 * (-lowest / D / kSag - 1), length / D, rest.rounds);
  EXPECT_NEAR(-lowest / D, kSag, 0.005 * kSag);
}

}  // namespace
}  // namespace keydrape
