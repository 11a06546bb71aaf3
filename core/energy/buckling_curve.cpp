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

// w: what cloth is pulled by before it is taut, half of it for nothing (W10).
constexpr double kSlack = 5e-4;

// The two laws of compression meet softly (W9): a norm of high order of their reciprocals.
constexpr double kSharpness = 4.0;

// Knots where c = -kFinest kRatio^i: from far below any strain at which cloth buckles to its whole length.
constexpr double kFinest = 1e-8, kRatio = 1.2;
constexpr int kSlackPieces = 8;

// Stiffness at rest, s_0, over that of cloth that is pulled (W10).
double share_at_rest(double ratio) { return 24.0 * ratio / (24.0 * ratio + kSlack); }

// tau at -strain, with its slope and their derivatives.
ConditionCurve::Knot compressed(double strain, double ratio) {
  const BuckledColumn column = buckled_column(1.0 - strain);
  const double at_rest = share_at_rest(ratio);
  // |tau| = (|s_0 c|^-p + |ratio phi|^-p)^(-1/p)
  const double straight = at_rest * strain, load = ratio * -column.phi;
  const double s = std::pow(straight / load, kSharpness);
  const double tau = straight * std::pow(1.0 + s, -1.0 / kSharpness);
  // d|tau| = (|tau|/straight)^(p+1) d(straight) + (|tau|/load)^(p+1) d(load)
  const double of_straight = std::pow(1.0 + s, -1.0 - 1.0 / kSharpness);
  const double of_load = std::pow(1.0 + 1.0 / s, -1.0 - 1.0 / kSharpness);
  const double load_slope = ratio * column.slope;
  ConditionCurve::Knot knot{-strain, -tau, of_straight * at_rest + of_load * load_slope};
  // By log(bend): d log(load) = 1, d log(s_0) = 1 - s_0.
  const double of_rest = 1.0 - at_rest, p1 = kSharpness + 1.0;
  const double by = of_straight * straight / tau * of_rest + of_load * load / tau;  // d log|tau|
  knot.tau_by_bend = -tau * by;
  knot.slope_by_bend = of_straight * at_rest * (p1 * (by - of_rest) + of_rest) +
                       of_load * load_slope * (p1 * (by - 1.0) + 1.0);
  return knot;
}

// tau at c >= 0: its slope rises from s_0 to 1 over the slack.
ConditionCurve::Knot pulled(double c, double ratio) {
  const double at_rest = share_at_rest(ratio), x = std::min(c / kSlack, 1.0);
  const double rise = x * x * (3.0 - 2.0 * x);
  const double risen = c < kSlack ? kSlack * x * x * x * (1.0 - 0.5 * x) : c - 0.5 * kSlack;  // its integral
  const double curvature = 6.0 * x * (1.0 - x) / kSlack, by = at_rest * (1.0 - at_rest);
  return {c,
          at_rest * c + (1.0 - at_rest) * risen,
          at_rest + (1.0 - at_rest) * rise,
          by * (c - risen),
          by * (1.0 - rise),
          (1.0 - at_rest) * curvature,
          -by * curvature};
}

}  // namespace

ConditionCurve buckling_curve(double ratio) {
  assert(ratio > 0.0);
  std::vector<ConditionCurve::Knot> knots;
  for (double finer = kFinest; finer < kRatio; finer *= kRatio) {
    const double strain = std::min(finer, 1.0);
    ConditionCurve::Knot knot = compressed(strain, ratio);
    // Differences will do: whatever stands here, the curve is twice differentiable.
    const double e = 1e-4 * strain, less = strain - e, more = std::min(strain + e, 1.0);
    const ConditionCurve::Knot a = compressed(more, ratio), b = compressed(less, ratio);
    knot.curvature = (b.slope - a.slope) / (more - less);
    knot.curvature_by_bend = (b.slope_by_bend - a.slope_by_bend) / (more - less);
    knots.push_back(knot);
  }
  std::reverse(knots.begin(), knots.end());
  for (int i = 0; i <= kSlackPieces; ++i) knots.push_back(pulled(kSlack * i / kSlackPieces, ratio));
  knots.push_back(pulled(1.0, ratio));
  return ConditionCurve(std::move(knots), kSlack);
}

}  // namespace keydrape
