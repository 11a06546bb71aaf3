#include "core/energy/load/wind.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

namespace keydrape {
namespace {

constexpr double kWindDt = 0.01;
const Stencil<3> kTriangle{{0.0, 1.0, 0.2}, {0.0, 0.1, 0.9}, {0.0, 0.0, 0.0}};
constexpr double kArea = 0.44;  // [m^2]

Vec3 wind_force(const Stencil<3>& x, const Vec3& wind, double drag, double lift) {
  const VecX none;
  return Wind{{0, 1, 2}}
      .start({wind, 1.2, drag, lift}, {kWindDt, 0.0, none, none}, {x, Stencil<3>::Zero()})
      .force;
}

TEST(Wind, FacingTheFlowIsTheTextbookDrag) {
  const Vec3 f = wind_force(kTriangle, {0, 0, 4}, 1.3, 0.2);
  EXPECT_LE((f - Vec3(0, 0, 0.5 * 1.2 * 1.3 * kArea * 16)).norm(), 1e-6);  // eps: relative 1e-7
}

TEST(Wind, EqualDragAndLiftPushAlongTheNormalAlone) {
  const Vec3 f = wind_force(kTriangle, {3, -1, 4}, 0.8, 0.8);
  EXPECT_LE(f.head<2>().norm(), 1e-15);
  EXPECT_NEAR(f.z(), 0.5 * 1.2 * 0.8 * kArea * Vec3(3, -1, 4).norm() * 4, 1e-6);
}

TEST(Wind, LiftIsAcrossTheFlow) {
  const Vec3 wind(3, -1, 4);
  EXPECT_NEAR(wind_force(kTriangle, wind, 0.0, 1.0).dot(wind), 0.0, 1e-6);
}

TEST(Wind, FrontAndBackAreAlike) {
  Stencil<3> back;
  back << kTriangle.col(1), kTriangle.col(0), kTriangle.col(2);
  const Vec3 wind(3, -1, 4);
  EXPECT_LE((wind_force(back, wind, 1.1, 0.4) - wind_force(kTriangle, wind, 1.1, 0.4)).norm(), 1e-14);
}

TEST(Wind, HasNoKinkEdgeOnNorWhereTheAirStandsStill) {
  // The second difference of a kink grows as 1/e; that of a smooth force does not.
  for (const Vec3& through : {Vec3(4, 0, 0), Vec3(0, 0, 0)}) {
    const auto bend = [&](double e) {
      const Vec3 d = e * Vec3(0.1, 0.2, 1.0);
      return (wind_force(kTriangle, through + d, 1.1, 0.4) - 2 * wind_force(kTriangle, through, 1.1, 0.4) +
              wind_force(kTriangle, through - d, 1.1, 0.4))
                 .norm() /
             (e * e);
    };
    EXPECT_NEAR(bend(1e-5), bend(1e-4), 0.1 * bend(1e-4) + 1e-6);
    EXPECT_EQ(wind_force(kTriangle, Vec3::Zero(), 1.1, 0.4), Vec3(0, 0, 0));
  }
}

TEST(Wind, StaysStableWhenLightClothMeetsAStrongWind) {
  // One free triangle, M (y - x - dt v)/dt^2 + dW/dy = 0 in closed form, so light that an explicit force
  // would throw it back and forth, along the normal or within the plane: its speed has to rise to that of the
  // wind and never beyond.
  const double dt = 0.05, mass = 1e-4;
  const Vec3 wind(0.3, 0, 10);
  const Wind element{{0, 1, 2}};
  for (const double lift : {0.0, 0.5, 1.0}) {
    Stencil<3> x = kTriangle, v = Stencil<3>::Zero();
    const VecX none;
    Vec3 speed = Vec3::Zero();
    for (int n = 0; n < 200; ++n) {
      const auto s = element.start({wind, 1.2, 1.0, lift}, {dt, 0.0, none, none}, {x, v});
      const StencilHessian<3> H = element.hessian(x, s) + mass / (dt * dt) * StencilHessian<3>::Identity();
      const Stencil<3> residual = element.gradient(x, s) - mass / dt * v;
      const Eigen::Matrix<double, 9, 1> descent = H.llt().solve(residual.reshaped());
      const Stencil<3> y = x - descent.reshaped(3, 3);
      v = (y - x) / dt;
      x = y;
      for (const int a : {0, 2}) {
        EXPECT_GE(v(a, 0), speed(a) - 1e-9) << lift;
        EXPECT_LE(v(a, 0), wind(a)) << lift;
      }
      speed = v.col(0);
    }
    EXPECT_GT(speed.z(), 0.9 * wind.z()) << lift;
    // Where it is a plate nothing pulls along it.
    EXPECT_EQ(speed.x() > 0.5 * wind.x(), lift < 1.0) << speed.x();
  }
}

}  // namespace
}  // namespace keydrape
