// The isotropic membrane (core/EQUATIONS.md (R1) to (R4)) against principal stretches and a pulled strip.

#include "core/energy/isotropic_membrane.h"

#include <gtest/gtest.h>

#include "tests/support/meshes.h"
#include "tests/support/motion.h"
#include "tests/support/noise.h"
#include "tests/support/rest_triangle.h"
#include "tests/support/spectrum.h"

namespace keydrape {
namespace {

using namespace test;

IsotropicMembrane isotropic_element() { return {{0, 1, 2}, rest_triangle(), 12.0, 9.0}; }

TEST(IsotropicMembrane, IsTheEnergyOfPrincipalStretches) {
  Rng rng(21);
  for (int i = 0; i < 20; ++i) {
    const IsotropicMembrane element = isotropic_element();
    const Stencil<3> y = kRestTriangle + noise<3>(rng, 0.4);
    const Vec2 scale(0.9, 1.2);
    Eigen::Matrix<double, 3, 2> F;
    F << element.rest.w_u(y) / scale(0), element.rest.w_v(y) / scale(1);
    const Vec2 s = eigenvalues(F.transpose() * F).cwiseSqrt();
    const double psi =
        element.mu * (s - Vec2(1, 1)).squaredNorm() + 0.5 * element.lambda * (s.sum() - 2) * (s.sum() - 2);
    EXPECT_NEAR(element.value(y, {scale}), element.rest.area * psi, 1e-12 * (1 + psi));
  }
}

TEST(IsotropicMembrane, BearsTheLeastTensionAndNoLess) {
  Rng rng(22);
  for (int i = 0; i < 20; ++i) {
    const IsotropicMembrane element = isotropic_element();
    const Stencil<3> y = kRestTriangle + noise<3>(rng, 0.3);
    const IsotropicMembrane::Start s{Vec2(1, 1)};
    const auto smallest = [&](double sigma) {
      const StencilHessian<3> H = element.hessian_with_tension(y, s, {sigma});
      return eigenvalues(H)[0];
    };
    const double least = element.least_tension(y, s);
    EXPECT_GE(smallest(least), -1e-12);
    EXPECT_LT(smallest(least - 0.1), -1e-4);
  }
}

Material rubber_strip() {
  Material m = cotton();
  m.isotropic = Isotropic{2e6, 0.4};
  m.thickness = 5e-4;  // E t = 1000 N/m
  return m;
}

// Force per width E t e, narrowing nu e: exactly, however large e is.
TEST(IsotropicMembrane, PulledStripIsLinearAndNarrows) {
  const Vec2 size(0.3, 0.2);
  const TriangleMesh mesh = distorted(sheet(6, 4, size), size, 0.2, 7);
  const Model model = build_model(cloth_of(mesh, rubber_strip(), Vec3::Zero()));
  for (double e : {0.01, 0.2, 0.8}) {
    VecX x = stacked(mesh.positions);
    for (int i = 0; i < mesh.vertex_count(); ++i) x(3 * i) *= 1 + e, x(3 * i + 1) *= 1 - 0.4 * e;
    const VecX f = elastic_force(model, x);
    double pull = 0.0;
    for (int i = 0; i < mesh.vertex_count(); ++i) {
      if (mesh.positions[i].x() > size.x() - 1e-9) pull -= f(3 * i);
      EXPECT_NEAR(f(3 * i + 1), 0.0, 1e-10);
    }
    EXPECT_NEAR(pull / size.y(), 1000 * e, 1e-6);
  }
}

// Clamped at both ends, a strip three times as long as it is wide still narrows in its middle.
TEST(IsotropicMembrane, ClampedStripNecks) {
  const Vec2 size(0.3, 0.1);
  const TriangleMesh mesh = sheet(18, 6, size);
  ClothDescription cloth = cloth_of(mesh, rubber_strip(), Vec3::Zero());
  const double e = 0.3;
  VecX x = stacked(mesh.positions);
  for (Eigen::Index i = 0; i < x.size(); i += 3) x(i) *= 1 + e;
  cloth.pins = {
      held(x, vertices_where(mesh, [&](const Vec3& p) { return p.x() < 1e-9 || p.x() > size.x() - 1e-9; }))};
  const DrapeResult rest = settle(build_model(cloth), x, 1e-8);
  ASSERT_TRUE(rest.is_settled);
  const auto width_at = [&](double share) {
    double low = 1.0, high = -1.0;
    for (int i = 0; i < mesh.vertex_count(); ++i)
      if (std::abs(mesh.positions[i].x() - share * size.x()) < 1e-9) {
        low = std::min(low, rest.x(3 * i + 1));
        high = std::max(high, rest.x(3 * i + 1));
      }
    return high - low;
  };
  EXPECT_NEAR(width_at(0.5) / size.y(), 1 - 0.4 * e, 0.01);
  EXPECT_NEAR(width_at(0.0) / size.y(), 1.0, 1e-9);
  EXPECT_GT(width_at(1.0 / 18) - width_at(0.5), 0.02 * size.y());
}

}  // namespace
}  // namespace keydrape
