// Curves of a condition against their closed forms (core/EQUATIONS.md (W1) to (W7)).

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "core/energy/buckling_curve.h"
#include "core/energy/condition.h"

namespace keydrape {
namespace {

// Integral of f from a to b, by Gauss-Legendre on many pieces.
template <class F>
double integral(double a, double b, const F& f) {
  constexpr int kPieces = 4000;
  const double offset = 0.5 / std::sqrt(3.0);
  double sum = 0.0;
  for (int i = 0; i < kPieces; ++i)
    for (double side : {-offset, offset}) sum += f(a + (b - a) * (i + 0.5 + side) / kPieces);
  return sum * (b - a) / (2 * kPieces);
}

std::vector<ConditionCurve> curves() {
  const ConditionCurve buckling = buckling_curve(1e-4), softer = softer_curve(0.1);
  const auto column = std::make_shared<const ConditionCurve>(buckling);
  const ConditionCurve tester = tester_curve(0.05, 490.5, 0.7, 0.15).curve;
  const CurvePoint points[] = {{0, 0}, {0.01, 20}, {0.02, 30}, {0.03, 30}, {0.05, 200}};
  return {buckling,
          softer,
          tester,
          measured_curve(points).curve,
          joined(column, tester),
          joined(nullptr, tester)};
}

TEST(ConditionCurve, StoresTheIntegralOfItsTensionAndNeverSoftens) {
  for (const ConditionCurve& curve : curves()) {
    EXPECT_EQ(curve.tension(0.0), 0.0);
    for (double c : {-0.9, -0.3, -0.0103, -1.1e-4, 0.004, 0.017, 0.04, 0.3}) {
      const double W = integral(0.0, c, [&](double s) { return curve.tension(s); });
      EXPECT_NEAR(curve.value(c), W, 1e-6 * std::abs(W)) << c;
      EXPECT_GE(curve.stiffness(c), 0.0) << c;
      const double e = 1e-7;
      EXPECT_NEAR((curve.tension(c + e) - curve.tension(c - e)) / (2 * e), curve.stiffness(c),
                  1e-6 * (1 + curve.stiffness(c)))
          << c;
    }
  }
}

// What is lost before cloth is taut sets the curve off, and leaves it as it was measured: monotone, too, also
// where it bends as soon as it is taut, or before.
TEST(ConditionCurve, IsAsMeasuredBeyondItsSlack) {
  const std::vector<std::vector<CurvePoint>> measured = {
      {{0, 0}, {0.05, 10}, {0.1, 11}, {0.11, 400}},   {{0, 0}, {2e-4, 1}, {4e-4, 1.1}, {6e-4, 80}},
      {{0, 0}, {5e-4, 1}, {0.02, 1.2}, {0.04, 30}},   {{0, 0}, {1e-4, 1}, {0.05, 1.1}, {0.06, 60}},
      {{0, 0}, {7e-4, 1}, {0.002, 1.001}, {0.01, 2}}, {{0, 0}, {1e-4, 1}, {2e-4, 9}, {3e-4, 9}, {0.01, 10}}};
  constexpr double kSlack = 5e-4;
  for (const double ratio : {1e-6, 1e-4})
    for (const std::vector<CurvePoint>& points : measured) {
      const auto column = std::make_shared<const ConditionCurve>(buckling_curve(ratio));
      const ConditionCurve alone = measured_curve(points).curve, curve = joined(column, alone);
      const double end = alone.knots().back().c, lost = 1.0 - column->tension(1.0);
      for (double c = 0.0; c < 2e-3; c += 1e-6) EXPECT_GE(curve.stiffness(c), -1e-13) << c;
      for (double c = 0.0; c < 1.2 * end; c += 1e-3 * end) EXPECT_GE(curve.stiffness(c), -1e-13) << c;
      for (double c = 0.0; c < kSlack; c += 1e-5)
        EXPECT_NEAR(curve.tension(c), alone.tension(column->tension(c)), 2e-3 * alone.tension(kSlack)) << c;
      for (double c = kSlack; c < 2 * end; c += 1e-3 * end)
        EXPECT_NEAR(curve.tension(c), alone.tension(c - lost), 1e-12 * (1 + alone.tension(c))) << c;
      EXPECT_NEAR(curve.stiffening(), alone.greatest_stiffness(), 1e-12);
      EXPECT_EQ(curve.viscosity(3e-4), column->viscosity(3e-4));
    }
}

// Energy of the arc, E = k_b L kappa^2/2, and the polynomial that Choi & Ko 2002 fitted to the same column.
TEST(BucklingCurve, IsTheArcOfConstantCurvature) {
  const auto chord = [](double a) { return std::sin(a) / a; };
  for (double a : {0.02, 0.3, 1.0, 2.0, 3.0}) {
    const double e = 1e-5 * a;
    const auto energy = [](double b) { return 2.0 * b * b; };  // of L = k_b = 1
    const double force = (energy(a + e) - energy(a - e)) / (chord(a + e) - chord(a - e));
    EXPECT_NEAR(buckled_column(chord(a)).phi, force, 1e-7 * std::abs(force)) << a;
  }
  EXPECT_DOUBLE_EQ(buckled_column(1.0).phi, -12.0);
  EXPECT_NEAR(buckled_column(0.0).phi, -4 * M_PI * M_PI, 1e-9);
  EXPECT_DOUBLE_EQ(buckled_column(1.0).slope, 7.2);
  for (double z : {0.05, 0.3, 0.7, 0.95, 0.999}) {
    const double e = 1e-4 * z * (1 - z);
    const double slope = (buckled_column(z + e).phi - buckled_column(z - e).phi) / (2 * e);
    EXPECT_NEAR(buckled_column(z).slope, slope, 1e-5 * slope) << z;
    const double fit = 4 * ((((-11.541 * z + 34.193) * z - 39.083) * z + 23.116) * z - 9.713);
    EXPECT_NEAR(buckled_column(z).phi / fit, 1.0, 0.016) << z;
  }
}

TEST(BucklingCurve, IsTheColumnInCompressionAndTautBeyondItsSlack) {
  constexpr double kSlack = 5e-4;
  for (double ratio : {1e-6, 1e-5, 1e-3}) {
    const ConditionCurve curve = buckling_curve(ratio);
    const double at_rest = 24 * ratio / (24 * ratio + kSlack);
    EXPECT_NEAR(curve.stiffness(0.0), at_rest, 1e-6);
    EXPECT_NEAR(curve.stiffness(-1e-9), at_rest, 1e-6);
    EXPECT_NEAR(curve.tension(0.02), 0.02 - 0.5 * (1 - at_rest) * kSlack, 1e-15);
    EXPECT_NEAR(curve.stiffness(kSlack), 1.0, 1e-12);
    // Ten times the strain at which the two laws of compression meet.
    const double deep = -10 * 12 * ratio / at_rest;
    for (double c : {deep, -0.3, -0.5})
      EXPECT_NEAR(curve.tension(c) / (ratio * buckled_column(1 + c).phi), 1.0, 2e-4) << c;
    // Between knots, where the two ends of the column nearly meet.
    EXPECT_NEAR(curve.tension(-0.9) / (ratio * buckled_column(0.1).phi), 1.0, 3e-3);
  }
}

// Three points are a straight line; and one that rises ever steeper is never overshot.
TEST(MeasuredCurve, GoesThroughItsPointsWithoutOvershoot) {
  const CurvePoint line[] = {{0, 0}, {0.01, 5}, {0.03, 15}};
  const MeasuredCurve straight = measured_curve(line);
  EXPECT_DOUBLE_EQ(straight.stiffness, 500.0);
  for (double c : {-0.02, 0.004, 0.02, 0.05}) EXPECT_NEAR(straight.curve.tension(c), c, 1e-15);

  const CurvePoint points[] = {{0, 0}, {0.01, 1}, {0.02, 1}, {0.025, 50}, {0.03, 60}};
  const MeasuredCurve curve = measured_curve(points);
  for (const CurvePoint& p : points)
    EXPECT_NEAR(curve.stiffness * curve.curve.tension(p.c), p.tension, 1e-12) << p.c;
  double last = 0.0;
  for (double c = 0.0; c < 0.04; c += 1e-4) {
    EXPECT_GE(curve.curve.tension(c), last - 1e-12) << c;
    last = curve.curve.tension(c);
  }
}

TEST(TesterCurve, HasTheNumbersThatItIsMadeFrom) {
  for (double lt : {0.6, 0.8}) {
    const double e = 0.04, F = 490.5, share = 0.15;
    const MeasuredCurve made = tester_curve(e, F, lt, share);
    const auto tension = [&](double c) { return made.stiffness * made.curve.tension(c); };
    EXPECT_NEAR(made.stiffness, share * F / e, 1e-9);
    EXPECT_NEAR(tension(e), F, 1e-9 * F);
    EXPECT_NEAR(made.stiffness * made.curve.value(e) / (0.5 * F * e), lt, 1e-4);
    const double q = lt == 0.6 ? 2.78 : 1.62;  // exponents
    const double s = 0.37;
    EXPECT_NEAR(tension(s * e), F * (share * s + (1 - share) * std::pow(s, q)), 2e-3 * F);
  }
}

// Friction holds its tension whatever the speed above the creep, and hardly below it.
TEST(Hysteresis, IsALoopOfItsOwnWidth) {
  const VecX none;
  for (double speed : {0.5, 5.0}) {
    const double dt = 0.01;
    double c = 0.0, up = 0.0, down = 0.0;
    const int steps = static_cast<int>(0.1 / (speed * dt));
    for (int n = -steps; n < 2 * steps; ++n) {
      const double change = (n >= 0 && n < steps ? -1 : 1) * speed * dt;
      const ConditionLaw law =
          condition_law({100.0, 0.0, nullptr, {3.0, 0.01}}, {dt, 0.0, none, none}, c, [] { return 0.0; });
      const double tension = law.tension(c + change);
      c += change;
      if (n == -steps / 2) up = tension - 100.0 * c;
      if (n == steps / 2) down = tension - 100.0 * c;
    }
    EXPECT_DOUBLE_EQ(up, 3.0);
    EXPECT_DOUBLE_EQ(down, -3.0);
  }
}

}  // namespace
}  // namespace keydrape
