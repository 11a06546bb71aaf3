#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>

#include "core/energy/hinge_bending.h"
#include "core/energy/quadratic_bending.h"
#include "core/mesh/hinge_angle.h"

namespace keydrape {
namespace {

constexpr double kDt = 0.01;
const Stencil<4> kFlat{{0.0, 1.0, 0.4, 0.7}, {0.0, 0.0, 0.8, -0.6}, {0.0, 0.0, 0.0, 0.0}};
const RestHinge kRest{1.0, {0.4, 0.8}, {0.7, -0.6}};  // the same

std::vector<Stencil<4>> random_hinges() {
  std::mt19937_64 rng(1);
  std::uniform_real_distribution<double> noise(-1.0, 1.0);
  std::vector<Stencil<4>> hinges;
  for (int i = 0; i < 24; ++i) {
    hinges.push_back(kFlat + (i % 2 == 0 ? 0.1 : 1.0) * Stencil<4>::NullaryExpr([&] { return noise(rng); }));
    // Every sixth is thin.
    if (i % 6 == 5) hinges.back().col(3) = hinges.back().leftCols<2>() * Vec2(0.3, 0.7) + Vec3(0, 1e-3, 2e-3);
  }
  return hinges;
}

HingeBending::Start start(const HingeBending& hinge, const Stencil<4>& x) {
  const VecX none;
  return hinge.start({}, {kDt, 0.0, none, none}, x, Stencil<4>::Zero());
}

Stencil<4> folded(double theta) {
  Stencil<4> x = kFlat;  // lies in z = 0, normals towards +z; x3 turns about the edge, the x axis
  x.col(3) = Eigen::AngleAxisd(theta, Vec3::UnitX()) * Vec3(x.col(3));
  return x;
}

TEST(HingeAngle, IsPositiveForARidgeAndNegativeForAValley) {
  Stencil<4> x = kFlat;
  EXPECT_EQ(HingeAngle(x).theta(), 0.0);
  x(2, 3) = -0.6;  // below the edge, seen from the front: a ridge of 45 degrees
  EXPECT_NEAR(HingeAngle(x).theta(), std::numbers::pi / 4, 1e-15);
  x(2, 3) = 0.6;
  EXPECT_NEAR(HingeAngle(x).theta(), -std::numbers::pi / 4, 1e-15);
}

TEST(HingeAngle, IsTheAngleOfFoldingUpToPi) {
  for (double theta = -3.1; theta < 3.11; theta += 0.1)
    EXPECT_NEAR(HingeAngle(folded(theta)).theta(), theta, 1e-13);
  EXPECT_NEAR(HingeAngle(folded(1e-9)).theta(), 1e-9, 1e-23);  // acos would return 0
}

TEST(HingeAngle, IsSymmetricUnderExchangeOfItsSides) {
  for (const Stencil<4>& x : random_hinges()) {
    Stencil<4> exchanged;
    exchanged << x.col(1), x.col(0), x.col(3), x.col(2);
    EXPECT_NEAR(HingeAngle(exchanged).theta(), HingeAngle(x).theta(), 1e-12);
  }
}

TEST(HingeAngle, HessianKnowsThatTranslationRotationAndScaleLeaveTheAngle) {
  for (const Stencil<4>& x : random_hinges()) {
    const HingeAngle angle(x);
    const auto H = angle.hessian();
    const Eigen::Matrix<double, 12, 1> g = angle.gradient().reshaped();
    for (const Vec3& t : {Vec3::UnitX().eval(), Vec3::UnitY().eval(), Vec3::UnitZ().eval()}) {
      EXPECT_LE((H * t.replicate<4, 1>()).norm(), 1e-12 * H.norm());
      // theta(R x) = theta(x): differentiated by x and by the angle of R about t, H (t x x) = t x g.
      Stencil<4> turned_x, turned_g;
      for (int a = 0; a < 4; ++a) {
        turned_x.col(a) = t.cross(Vec3(x.col(a)));
        turned_g.col(a) = t.cross(Vec3(angle.gradient().col(a)));
      }
      EXPECT_LE((H * turned_x.reshaped() - turned_g.reshaped()).norm(), 1e-12 * H.norm());
    }
    EXPECT_LE((H * x.reshaped() + g).norm(), 1e-12 * H.norm());  // theta(e x) = theta(x)
  }
}

TEST(HingeBending, RestsAtItsRestAngle) {
  const HingeBending hinge{{0, 1, 2, 3}, 0.8, 2.0, 0.0};
  const auto s = start(hinge, folded(0.8));
  EXPECT_NEAR(hinge.gradient(folded(0.8), s).norm(), 0.0, 1e-14);
  EXPECT_NEAR(hinge.value(folded(1.1), s), 0.5 * 2.0 * 0.3 * 0.3, 1e-14);
  EXPECT_FALSE(hinge.depends_on_start());
}

TEST(HingeBending, WithoutStiffnessOnlyDissipates) {
  const HingeBending hinge{{0, 1, 2, 3}, 0.0, 0.0, 0.02};
  const auto s = start(hinge, folded(0.5));
  EXPECT_NEAR(hinge.gradient(folded(0.5), s).norm(), 0.0, 1e-14);
  EXPECT_NEAR(hinge.value(folded(0.6), s), 0.5 * 0.02 / kDt * 0.1 * 0.1, 1e-14);
}

TEST(HingeBending, IsSmoothWhereItFoldsFlatWithinAStep) {
  constexpr double kPi = std::numbers::pi;
  const HingeBending hinge{{0, 1, 2, 3}, 0.3, 2.0, 0.02};
  for (double begin : {kPi - 0.1, 0.1 - kPi}) {
    const auto s = start(hinge, folded(begin));
    for (double end : {0.99 * begin, begin, 1.02 * begin, 1.04 * begin, 1.2 * begin}) {
      const double c = end - 0.3, change = end - begin;
      EXPECT_NEAR(hinge.value(folded(end), s), c * c + 0.5 * 0.02 / kDt * change * change, 1e-12);
      EXPECT_NEAR(hinge.tension(folded(end), s)[0], 2.0 * c + 0.02 / kDt * change, 1e-12);
    }
  }
}

TEST(QuadraticBending, AgreesWithTheHingeToSecondOrder) {
  const QuadraticBending quadratic{{0, 1, 2, 3}, flat_hinge_weights(kRest), 2.0};
  for (double theta : {1e-3, -1e-2, 0.1, 1.0, 3.0}) {
    const double chord = 2 * std::sin(theta / 2);  // |sum L_a x_a|, on every isometric hinge
    EXPECT_NEAR(quadratic.value(folded(theta), {}), 0.5 * 2.0 * chord * chord, 1e-14);
  }
}

TEST(QuadraticBending, FlatStretchCostsNothing) {
  const QuadraticBending quadratic{{0, 1, 2, 3}, flat_hinge_weights(kRest), 2.0};
  Stencil<4> x = Mat3{{1.3, 0.2, 0.0}, {0.1, 0.9, 0.0}, {0.5, 0.4, 1.0}} * kFlat;
  EXPECT_NEAR(quadratic.value(x, {}), 0.0, 1e-28);
}

TEST(RestHinge, UnfoldsWhatLiesInTwoPlanes) {
  // The second triangle has a plane of its own, and starts at another corner.
  const std::vector<Triangle> triangles{{0, 1, 2}, {3, 1, 0}};
  const Eigen::Rotation2Dd turn(0.7);
  const std::vector<RestCorners> corners{
      RestCorners{Vec2(0.0, 0.0), Vec2(1.0, 0.0), Vec2(0.4, 0.8)},
      RestCorners{turn * Vec2(0.7, -0.6) + Vec2(3, 3), turn * Vec2(1, 0) + Vec2(3, 3), Vec2(3, 3)}};
  const RestHinge rest = unfold({{0, 1, 2, 3}, 0, 1}, triangles, corners);
  EXPECT_NEAR(rest.length, 1.0, 1e-14);
  EXPECT_LE((rest.c - Vec2(0.4, 0.8)).norm() + (rest.d - Vec2(0.7, -0.6)).norm(), 1e-14);
  EXPECT_NEAR(rest.area(), 0.7, 1e-14);
}

}  // namespace
}  // namespace keydrape
