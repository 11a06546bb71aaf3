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

constexpr double kHingeDt = 0.01;
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
  return hinge.start({}, {kHingeDt, 0.0, none, none}, {x, Stencil<4>::Zero()});
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
  EXPECT_NEAR(hinge.value(folded(0.6), s), 0.5 * 0.02 / kHingeDt * 0.1 * 0.1, 1e-14);
}

TEST(HingeBending, IsSmoothWhereItFoldsFlatWithinAStep) {
  constexpr double kPi = std::numbers::pi;
  const HingeBending hinge{{0, 1, 2, 3}, 0.3, 2.0, 0.02};
  for (double begin : {kPi - 0.1, 0.1 - kPi}) {
    const auto s = start(hinge, folded(begin));
    for (double end : {0.99 * begin, begin, 1.02 * begin, 1.04 * begin, 1.2 * begin}) {
      const double c = end - 0.3, change = end - begin;
      EXPECT_NEAR(hinge.value(folded(end), s), c * c + 0.5 * 0.02 / kHingeDt * change * change, 1e-12);
      EXPECT_NEAR(hinge.tension(folded(end), s)[0], 2.0 * c + 0.02 / kHingeDt * change, 1e-12);
    }
  }
}

// A hinge of rest angle theta_rest whose triangles count less below half of kFlat's areas.
HingeBending fading(double theta_rest) { return {{0, 1, 2, 3}, theta_rest, 2.0, 0.02, {0.2, 0.15}}; }

// kFlat with the vertex opposite in the second triangle at a height over the edge, turned by theta.
Stencil<4> collapsing(double height, double theta) {
  Stencil<4> x = kFlat;
  x.col(3) = Eigen::AngleAxisd(theta, Vec3::UnitX()) * Vec3(0.7, -height, 0.0);
  return x;
}

TEST(HingeBending, CountsWholeDownToItsWholeAreas) {
  HingeBending always = fading(0.3);
  always.whole_areas = {};
  const auto s = start(fading(0.3), folded(0.5));
  for (double height : {0.6, 0.301}) {
    const Stencil<4> y = collapsing(height, 0.9);
    EXPECT_EQ(fading(0.3).value(y, s), always.value(y, s));
    EXPECT_EQ(fading(0.3).gradient(y, s), always.gradient(y, s));
    EXPECT_EQ(fading(0.3).hessian(y, s), always.hessian(y, s));
  }
  EXPECT_LT(fading(0.3).value(collapsing(0.2, 0.9), s), always.value(collapsing(0.2, 0.9), s));
}

TEST(HingeBending, IsBoundedWhereATriangleCollapses) {
  HingeBending always = fading(0.3);
  always.whole_areas = {};
  const auto s = start(fading(0.3), folded(0.5));
  const double g = fading(0.3).gradient(collapsing(0.3, 0.9), s).norm();
  const double H = fading(0.3).hessian(collapsing(0.3, 0.9), s).norm();
  for (double height = 0.3; height > 1e-12; height *= 0.5)
    for (double theta : {-2.0, 0.9, 2.5}) {
      EXPECT_LT(fading(0.3).gradient(collapsing(height, theta), s).norm(), 20 * g);
      EXPECT_LT(fading(0.3).hessian(collapsing(height, theta), s).norm(), 20 * H);
    }
  EXPECT_GT(always.gradient(collapsing(1e-6, 0.9), s).norm(), 1e4 * g);
}

TEST(HingeBending, IsTwiceContinuouslyDifferentiableThroughALine) {
  const HingeBending hinge = fading(0.3);
  const auto s = start(hinge, folded(0.5));
  const Stencil<4> line = collapsing(0.0, 0.0);
  const double W = 0.5 * 0.02 / kHingeDt * 0.2 * 0.2;  // of the angle at the start, all of it gone
  EXPECT_NEAR(hinge.value(line, s), W, 1e-15);
  EXPECT_EQ(hinge.gradient(line, s).norm(), 0.0);
  EXPECT_EQ(hinge.hessian(line, s).norm(), 0.0);
  for (double theta : {-2.0, 0.9, 2.5}) {
    const Stencil<4> near = collapsing(1e-6, theta);
    EXPECT_NEAR(hinge.value(near, s), W, 1e-12);
    EXPECT_LT(hinge.gradient(near, s).norm(), 1e-8);
    EXPECT_LT(hinge.hessian(near, s).norm(), 1e-2);
  }
}

TEST(HingeBending, StartsOnALineWithoutForce) {
  const HingeBending hinge = fading(0.0);
  const Stencil<4> line = collapsing(0.0, 0.0);
  const auto s = start(hinge, line);
  EXPECT_EQ(hinge.gradient(line, s).norm(), 0.0);
  EXPECT_EQ(hinge.cross_x(kFlat, line, s, implicit_euler(kHingeDt).start).norm(), 0.0);
  EXPECT_EQ(hinge.value(kFlat, s), 0.0);
}

TEST(HingeBending, OverfoldedByALittleIsNotBentByAWholeTurn) {
  constexpr double kPi = std::numbers::pi;
  const HingeBending hinge{{0, 1, 2, 3}, -2.96, 2.0, 0.0};
  const Stencil<4> x = folded(-kPi - 0.02);  // through its fold: the same as pi - 0.02
  const auto s = start(hinge, x);
  EXPECT_NEAR(hinge.value(x, s), std::pow(kPi + 0.02 - 2.96, 2), 1e-12);
}

// In one step, however far: a jump of the potential on the way would look like a minimum.
TEST(HingeBending, FallsAllTheWayToItsRestAngle) {
  for (double rest : {-2.9, -1.0, 0.0, 2.0})
    for (double begin : {-3.0, -1.5, 0.0, 1.0, 3.1}) {
      const HingeBending hinge{{0, 1, 2, 3}, rest, 2.0, 0.0};
      const auto s = start(hinge, folded(begin));
      const double c = s.theta - rest;
      double before = hinge.value(folded(begin), s);
      EXPECT_NEAR(before, c * c, 1e-12);
      for (double t = 0.99; t > 0.0; t -= 0.01) {
        const double W = hinge.value(folded(rest + t * c), s);
        EXPECT_LE(W, before + 1e-12) << rest << " from " << begin;
        before = W;
      }
      EXPECT_NEAR(before, 0.0, 1e-2);
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
