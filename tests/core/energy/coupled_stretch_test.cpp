// Warp and weft that draw each other in: closed forms, and what curves make of them (core/EQUATIONS.md (W13)
// to (W15)). Derivatives of the element: energy_test, energy_parameter_test.

#include "core/energy/coupled_stretch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/energy/buckling_curve.h"
#include "tests/support/bodies.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kWarp = 300.0, kWeft = 90.0, kShare = 0.5;

TEST(CoupledStretch, OfProportionalLawsIsAMatrix) {
  const ConditionLaw warp{kWarp}, weft{kWeft};
  const double k_uv = kShare * std::sqrt(kWarp * kWeft);
  const Mat2 K{{kWarp, k_uv}, {k_uv, kWeft}};
  for (const Vec2& c : {Vec2(0.1, 0.02), Vec2(-0.3, 0.2), Vec2(-0.1, -0.4), Vec2(0, 0)}) {
    const CoupledStretch at(warp, weft, kShare, c);
    EXPECT_LT((at.tension() - K * c).norm(), 1e-13 * kWarp);
    EXPECT_NEAR(at.value(), 0.5 * c.dot(K * c), 1e-14 * kWarp);
    EXPECT_LT((at.stiffness() - K).norm(), 1e-13 * kWarp);
  }
}

// Whatever cloth gives way to: the tension is the slope of the value, its stiffness that of the tension and
// no direction of it falls.
TEST(CoupledStretch, GivesWayAsAPotentialThatNeverBendsDown) {
  const ConditionCurve thin(buckling_curve(1e-3)), thick(buckling_curve(2e-2));
  ConditionLaw warp{kWarp}, weft{kWeft};
  warp.curve = &thin, weft.curve = &thick;
  std::mt19937_64 rng(5);
  std::uniform_real_distribution<double> strain(-0.4, 0.2);
  for (int i = 0; i < 200; ++i) {
    const Vec2 c(strain(rng), strain(rng));
    const CoupledStretch at(warp, weft, 0.9, c);
    const double e = 1e-6;
    for (int k = 0; k < 2; ++k) {
      const Vec2 d = e * Vec2::Unit(k);
      const CoupledStretch above(warp, weft, 0.9, c + d), below(warp, weft, 0.9, c - d);
      EXPECT_NEAR((above.value() - below.value()) / (2 * e), at.tension()(k), 1e-6 * kWarp);
      EXPECT_LT(((above.tension() - below.tension()) / (2 * e) - at.stiffness().col(k)).norm(), 0.02 * kWarp);
    }
    EXPECT_GE(at.stiffness().determinant(), -1e-9 * kWarp * kWarp);
    EXPECT_GE(at.stiffness().diagonal().minCoeff(), 0.0);
    // No less than the load at which it folds: what draws in is no load.
    EXPECT_GT(at.tension()(0), -4 * kPi * kPi * 1e-3 * kWarp);
    EXPECT_GT(at.tension()(1), -4 * kPi * kPi * 2e-2 * kWeft);
  }
}

// Nor where a measured curve is many times as steep as at rest: pulled both ways at once it always resists.
TEST(CoupledStretch, OfSteepCurvesResistsHoweverFarItIsPulled) {
  const ConditionCurve curve = tester_curve(0.2, 490.5, 0.6, 0.15).curve;
  ASSERT_GT(curve.greatest_stiffness(), 10.0);
  ConditionLaw warp{kWarp}, weft{kWeft};
  warp.curve = weft.curve = &curve;
  double before = 0.0;
  for (double e = 0.005; e < 0.4; e += 0.005) {
    const Vec2 c(e, e);
    const CoupledStretch at(warp, weft, 0.45, c);
    EXPECT_GT(at.stiffness().determinant(), 0.0) << e;
    EXPECT_GT(at.tension()(0), before) << e;
    before = at.tension()(0);
    // It is what belongs to these strains: t + Q s = c has been solved.
    const double d = 1e-7;
    const CoupledStretch above(warp, weft, 0.45, c + Vec2(d, 0)), below(warp, weft, 0.45, c - Vec2(d, 0));
    EXPECT_NEAR((above.value() - below.value()) / (2 * d), at.tension()(0), 1e-5 * (1 + at.tension()(0)))
        << e;
  }
}

// Pulled along the warp and free across, it narrows by coupling sqrt(k_warp/k_weft) of that, is softer than
// held across, and the weft has no tension; cloth that gives way does the same.
TEST(CoupledStretch, PulledStripNarrows) {
  const Vec2 size(0.3, 0.2);
  const TriangleMesh mesh = distorted(sheet(6, 4, size), size, 0.2, 7);
  Material m = cotton();
  m.k_warp = kWarp, m.k_weft = kWeft, m.k_shear = 20, m.bend = 1e-6, m.coupling = 0.4;
  const double nu = 0.4 * std::sqrt(kWarp / kWeft);
  for (const auto law : {Compression::Law::kAsStretch, Compression::Law::kBuckling}) {
    m.compression.law = law;
    const Model model = build_model(cloth_of(mesh, m, Vec3::Zero()));
    const double slack = law == Compression::Law::kBuckling ? 1e-3 : 0.0;  // (W10)
    for (const double e : {0.01, 0.2}) {
      VecX x = stacked(mesh.positions);
      for (int i = 0; i < mesh.vertex_count(); ++i) x(3 * i) *= 1 + e, x(3 * i + 1) *= 1 - nu * e;
      const VecX f = elastic_force(model, x);
      double pull = 0.0;
      for (int i = 0; i < mesh.vertex_count(); ++i) {
        if (mesh.positions[i].x() > size.x() - 1e-9) pull -= f(3 * i);
        EXPECT_NEAR(f(3 * i + 1), 0.0, 1e-10 + slack * kWeft * size.x());
      }
      const double softer = kWarp * (1 - 0.4 * 0.4);
      EXPECT_NEAR(pull / size.y(), softer * e, 1e-9 * softer + slack * softer);
    }
  }
}

}  // namespace
}  // namespace keydrape
