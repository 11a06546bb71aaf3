#include "core/energy/condition_curve.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace keydrape {

ConditionCurve::ConditionCurve(std::vector<Knot> knots, bool is_damped_by_slope)
    : knots_(std::move(knots)), values_(knots_.size()), is_damped_by_slope_(is_damped_by_slope) {
  assert(knots_.size() >= 2);
  for (size_t j = 0; j + 1 < knots_.size(); ++j) {
    const Knot &a = knots_[j], &b = knots_[j + 1];
    const double width = b.c - a.c;
    assert(width > 0.0 && a.slope >= 0.0 && b.slope >= 0.0);
    values_[j + 1] = values_[j] + width * (0.5 * (a.tau + b.tau) + width / 12 * (a.slope - b.slope));
  }
  const auto rest = std::find_if(knots_.begin(), knots_.end(), [](const Knot& k) { return k.c == 0.0; });
  assert(rest != knots_.end() && rest->tau == 0.0 && rest->slope == 1.0);
  const double at_rest = values_[rest - knots_.begin()];
  for (double& value : values_) value -= at_rest;
}

ConditionCurve::Point ConditionCurve::at(double c) const {
  const auto above = std::upper_bound(knots_.begin(), knots_.end(), c,
                                      [](double value, const Knot& knot) { return value < knot.c; });
  if (above == knots_.begin() || above == knots_.end()) {  // straight on
    const size_t j = above == knots_.begin() ? 0 : knots_.size() - 1;
    const Knot& k = knots_[j];
    const double d = c - k.c;
    return {values_[j] + d * (k.tau + 0.5 * d * k.slope), k.tau + d * k.slope, k.slope, 0.0,
            k.tau_by_bend + d * k.slope_by_bend,          k.slope_by_bend};
  }
  const size_t j = above - knots_.begin() - 1;
  const Knot &a = knots_[j], &b = knots_[j + 1];
  const double width = b.c - a.c, s = c - a.c;
  // tau = tau_a + s (slope_a + s (m + s n)) on the piece.
  const auto cubic = [&](double tau_a, double slope_a, double tau_b, double slope_b) {
    const double secant = (tau_b - tau_a) / width;
    return std::pair((3.0 * secant - 2.0 * slope_a - slope_b) / width,
                     (slope_a + slope_b - 2.0 * secant) / (width * width));
  };
  const auto [m, n] = cubic(a.tau, a.slope, b.tau, b.slope);
  const auto [m_bend, n_bend] = cubic(a.tau_by_bend, a.slope_by_bend, b.tau_by_bend, b.slope_by_bend);
  return {values_[j] + s * (a.tau + s * (a.slope / 2 + s * (m / 3 + s * n / 4))),
          a.tau + s * (a.slope + s * (m + s * n)),
          a.slope + s * (2.0 * m + 3.0 * s * n),
          2.0 * m + 6.0 * s * n,
          a.tau_by_bend + s * (a.slope_by_bend + s * (m_bend + s * n_bend)),
          a.slope_by_bend + s * (2.0 * m_bend + 3.0 * s * n_bend)};
}

double ConditionCurve::value(double c) const { return at(c).value; }
double ConditionCurve::tension(double c) const { return at(c).tau; }
double ConditionCurve::stiffness(double c) const { return at(c).slope; }
double ConditionCurve::tension_by_bend(double c) const { return at(c).tau_by_bend; }

ConditionCurve softer_curve(double factor) {
  assert(0.0 < factor && factor < 1.0);
  constexpr double kWidth = 1e-3;
  return {{{-kWidth, -0.5 * (1.0 + factor) * kWidth, factor}, {0.0, 0.0, 1.0}, {1.0, 1.0, 1.0}}, true};
}

ConditionCurve joined(const ConditionCurve* compressed, const ConditionCurve& stretched) {
  std::vector<ConditionCurve::Knot> knots;
  if (compressed) {
    for (const ConditionCurve::Knot& knot : compressed->knots())
      if (knot.c < 0.0) knots.push_back(knot);
  } else {
    knots.push_back({-1.0, -1.0, 1.0});
  }
  for (const ConditionCurve::Knot& knot : stretched.knots())
    if (knot.c >= 0.0) knots.push_back(knot);
  return {std::move(knots), compressed && compressed->is_damped_by_slope()};
}

namespace {

// Both ways alike, from the knots of c > 0.
MeasuredCurve odd(double stiffness, const std::vector<ConditionCurve::Knot>& stretched) {
  std::vector<ConditionCurve::Knot> knots;
  for (auto knot = stretched.rbegin(); knot != stretched.rend(); ++knot)
    knots.push_back({-knot->c, -knot->tau, knot->slope});
  knots.push_back({0.0, 0.0, 1.0});
  knots.insert(knots.end(), stretched.begin(), stretched.end());
  return {stiffness, {std::move(knots), false}};
}

}  // namespace

MeasuredCurve measured_curve(std::span<const CurvePoint> points) {
  assert(points.size() >= 2 && points[0].c == 0.0 && points[0].tension == 0.0);
  const auto secant = [&](size_t j) {
    return (points[j + 1].tension - points[j].tension) / (points[j + 1].c - points[j].c);
  };
  const double k = secant(0);
  assert(k > 0.0);
  std::vector<ConditionCurve::Knot> knots;
  for (size_t j = 1; j < points.size(); ++j) {
    double slope = secant(j - 1);
    if (j + 1 < points.size()) {
      // Harmonic mean of the two secants, weighted by the widths.
      const double before = points[j].c - points[j - 1].c, after = points[j + 1].c - points[j].c;
      const double w = (before + 2.0 * after) / (3.0 * (before + after));
      const double a = secant(j - 1), b = secant(j);
      slope = a > 0.0 && b > 0.0 ? a * b / (w * b + (1.0 - w) * a) : 0.0;
    }
    knots.push_back({points[j].c, points[j].tension / k, slope / k});
  }
  return odd(k, knots);
}

MeasuredCurve tester_curve(double extension, double force, double lt, double share) {
  assert(extension > 0.0 && force > 0.0 && 0.0 < share && share < lt && lt <= 1.0);
  const double q = 2.0 * (1.0 - share) / (lt - share) - 1.0;
  const double k = share * force / extension;
  constexpr int kPieces = 32;
  std::vector<ConditionCurve::Knot> knots;
  for (int j = 1; j <= kPieces; ++j) {
    const double s = static_cast<double>(j) / kPieces;
    knots.push_back({extension * s, (share * s + (1.0 - share) * std::pow(s, q)) * force / k,
                     (share + (1.0 - share) * q * std::pow(s, q - 1.0)) / share});
  }
  return odd(k, knots);
}

}  // namespace keydrape
