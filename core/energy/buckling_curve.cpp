#include "core/energy/buckling_curve.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace keydrape {

namespace {

// a of sinc a = z, from 0 to pi.
double angle_of_chord(double z) {
  double a = std::sqrt(6.0 * (1.0 - z));
  for (int i = 0; i < 60; ++i) {
    const double sinc = std::sin(a) / a;
    const double change = (sinc - z) * a / (std::cos(a) - sinc);
    a = std::clamp(a - change, 1e-12, std::numbers::pi);
    if (std::abs(change) < 1e-15) break;
  }
  return a;
}

}  // namespace

BuckledColumn buckled_column(double z) {
  assert(0.0 <= z && z <= 1.0);
  const double a = z < 1.0 ? angle_of_chord(z) : 0.0;
  // Both from series where the terms of the closed form cancel.
  if (a < 0.05) {
    const double q = a * a;
    return {-12.0 / (1.0 - q / 10.0 + q * q / 280.0), 7.2 * (1.0 + q * 8.0 / 35.0)};
  }
  const double d = std::cos(a) - std::sin(a) / a;  // a dz/da
  const double by_a = (8.0 * a * d + 4.0 * a * a * (std::sin(a) + d / a)) / (d * d);
  return {4.0 * a * a / d, by_a * a / d};
}

namespace {

// The two laws meet softly (W9): a norm of high order of their reciprocals.
constexpr double kSharpness = 4.0;

// Knots where c = -kFinest kRatio^i: from far below any strain at which cloth buckles to its whole length.
constexpr double kFinest = 1e-8, kRatio = 1.2;

// tau at -strain, with its slope and their derivatives.
ConditionCurve::Knot knot_at(double strain, double ratio) {
  const BuckledColumn column = buckled_column(1.0 - strain);
  // |tau| = (|c|^-p + |ratio phi|^-p)^(-1/p)
  const double load = ratio * -column.phi;
  const double s = std::pow(strain / load, kSharpness);
  const double tau = strain * std::pow(1.0 + s, -1.0 / kSharpness);
  // d|tau| = (|tau|/|c|)^(p+1) d|c| + (|tau|/load)^(p+1) d(load)
  const double of_strain = std::pow(1.0 + s, -1.0 - 1.0 / kSharpness);
  const double of_load = std::pow(1.0 + 1.0 / s, -1.0 - 1.0 / kSharpness);
  const double load_slope = ratio * column.slope;
  ConditionCurve::Knot knot{-strain, -tau, of_strain + of_load * load_slope};
  // By log(bend): d(load) = load, and the same of the slope.
  knot.tau_by_bend = -of_load * load;
  const double p1 = kSharpness + 1.0;
  const double tau_by = of_load * load / tau;  // d log|tau|/d log(load)
  knot.slope_by_bend = of_strain * p1 * tau_by + of_load * load_slope * (p1 * (tau_by - 1.0) + 1.0);
  return knot;
}

}  // namespace

ConditionCurve buckling_curve(double ratio) {
  assert(ratio > 0.0);
  std::vector<ConditionCurve::Knot> knots;
  for (double finer = kFinest; finer < kRatio; finer *= kRatio) {
    const double strain = std::min(finer, 1.0);
    ConditionCurve::Knot knot = knot_at(strain, ratio);
    // Differences will do: whatever stands here, the curve is twice differentiable.
    const double e = 1e-4 * strain, above = strain - e, below = std::min(strain + e, 1.0);
    const ConditionCurve::Knot a = knot_at(below, ratio), b = knot_at(above, ratio);
    knot.curvature = (b.slope - a.slope) / (below - above);
    knot.curvature_by_bend = (b.slope_by_bend - a.slope_by_bend) / (below - above);
    knots.push_back(knot);
  }
  std::reverse(knots.begin(), knots.end());
  for (const double c : {0.0, 1.0}) knots.push_back({c, c, 1.0, 0.0, 0.0, 0.0});
  return {std::move(knots), true};
}

}  // namespace keydrape
