#include "core/energy/condition_curve.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace keydrape {

namespace {

using Powers = std::array<double, 6>;

// The value and its first two derivatives at an end of a piece.
struct End {
  double value, slope, curvature;
};

Powers cubic(double width, const End& a, const End& b) {
  const double secant = (b.value - a.value) / width;
  return {a.value, a.slope, (3.0 * secant - 2.0 * a.slope - b.slope) / width,
          (a.slope + b.slope - 2.0 * secant) / (width * width)};
}

Powers of_fifth_order(double width, const End& a, const End& b) {
  const double w = width;
  // What is left at b of the value and its derivatives, in units of the width.
  const double rise = b.value - a.value - w * (a.slope + 0.5 * w * a.curvature);
  const double slope = w * (b.slope - a.slope - w * a.curvature);
  const double curvature = w * w * (b.curvature - a.curvature);
  return {a.value,
          a.slope,
          0.5 * a.curvature,
          (10.0 * rise - 4.0 * slope + 0.5 * curvature) / (w * w * w),
          (-15.0 * rise + 7.0 * slope - curvature) / (w * w * w * w),
          (6.0 * rise - 3.0 * slope + 0.5 * curvature) / (w * w * w * w * w)};
}

// d p(s - by)/d(by) at by = 0.
Powers moved(const Powers& p, double by) {
  return {-by * p[1], -2 * by * p[2], -3 * by * p[3], -4 * by * p[4], -5 * by * p[5], 0.0};
}

double at(const Powers& p, double s) {
  return p[0] + s * (p[1] + s * (p[2] + s * (p[3] + s * (p[4] + s * p[5]))));
}
double slope_at(const Powers& p, double s) {
  return p[1] + s * (2 * p[2] + s * (3 * p[3] + s * (4 * p[4] + s * 5 * p[5])));
}
double curvature_at(const Powers& p, double s) {
  return 2 * p[2] + s * (6 * p[3] + s * (12 * p[4] + s * 20 * p[5]));
}
double integral_to(const Powers& p, double s) {
  return s * (p[0] + s * (p[1] / 2 + s * (p[2] / 3 + s * (p[3] / 4 + s * (p[4] / 5 + s * p[5] / 6)))));
}

}  // namespace

ConditionCurve::ConditionCurve(std::vector<Knot> knots, double soft_below, double stiffening,
                               std::shared_ptr<const ConditionCurve> softness)
    : knots_(std::move(knots)),
      values_(knots_.size()),
      soft_below_(soft_below),
      stiffening_(std::max(1.0, stiffening)),
      softness_(std::move(softness)) {
  assert(knots_.size() >= 2);
  const auto straight = [](const Knot& k) {
    return Piece{{k.tau, k.slope}, {k.tau_by_bend, k.slope_by_bend}};
  };
  pieces_.push_back(straight(knots_.front()));
  for (size_t j = 0; j + 1 < knots_.size(); ++j) {
    const Knot &a = knots_[j], &b = knots_[j + 1];
    const double width = b.c - a.c;
    assert(width > 0.0 && a.slope >= 0.0 && b.slope >= 0.0);
    const auto piece = a.curvature && b.curvature ? of_fifth_order : cubic;
    const Powers tau = piece(width, {a.tau, a.slope, a.curvature.value_or(0.0)},
                             {b.tau, b.slope, b.curvature.value_or(0.0)});
    pieces_.push_back({tau, a.moves_by_bend
                                ? moved(tau, *a.moves_by_bend)
                                : piece(width, {a.tau_by_bend, a.slope_by_bend, a.curvature_by_bend},
                                        {b.tau_by_bend, b.slope_by_bend, b.curvature_by_bend})});
  }
  pieces_.push_back(straight(knots_.back()));
  const auto rest = std::find_if(knots_.begin(), knots_.end(), [](const Knot& k) { return k.c == 0.0; });
  assert(rest != knots_.end() && rest->tau == 0.0);
  // From rest on both ways: what little is stored near it is not the difference of large numbers.
  const size_t middle = rest - knots_.begin();
  const auto stored_on = [&](size_t j) {  // from knot j to the next
    return integral_to(pieces_[j + 1].tau, knots_[j + 1].c - knots_[j].c);
  };
  for (size_t j = middle; j + 1 < knots_.size(); ++j) values_[j + 1] = values_[j] + stored_on(j);
  for (size_t j = middle; j > 0; --j) values_[j - 1] = values_[j] - stored_on(j - 1);
}

ConditionCurve::Place ConditionCurve::place(double c) const {
  const auto above = std::upper_bound(knots_.begin(), knots_.end(), c,
                                      [](double value, const Knot& knot) { return value < knot.c; });
  const size_t piece = above - knots_.begin(), knot = piece == 0 ? 0 : piece - 1;
  return {pieces_[piece], c - knots_[knot].c, values_[knot]};
}

double ConditionCurve::value(double c) const {
  const Place p = place(c);
  return p.value + integral_to(p.piece.tau, p.distance);
}
double ConditionCurve::tension(double c) const {
  const Place p = place(c);
  return at(p.piece.tau, p.distance);
}
double ConditionCurve::stiffness(double c) const {
  const Place p = place(c);
  return slope_at(p.piece.tau, p.distance);
}
double ConditionCurve::tension_by_bend(double c) const {
  const Place p = place(c);
  return at(p.piece.by_bend, p.distance);
}
double ConditionCurve::greatest_stiffness() const {
  constexpr int kSamples = 8;  // between two knots
  double greatest = 0.0;
  for (size_t j = 0; j < knots_.size(); ++j) {
    const double next = j + 1 < knots_.size() ? knots_[j + 1].c : knots_[j].c;
    for (int s = 0; s < kSamples; ++s)
      greatest = std::max(greatest, stiffness(knots_[j].c + (next - knots_[j].c) * s / kSamples));
  }
  return greatest;
}

double ConditionCurve::curvature(double c) const {
  const Place p = place(c);
  return curvature_at(p.piece.tau, p.distance);
}
double ConditionCurve::viscosity(double c) const {
  if (softness_) return softness_->viscosity(c);
  return c < soft_below_ ? stiffness(c) : 1.0;
}
double ConditionCurve::viscosity_slope(double c) const {
  if (softness_) return softness_->viscosity_slope(c);
  return c < soft_below_ ? curvature(c) : 0.0;
}
double ConditionCurve::viscosity_by_bend(double c) const {
  if (softness_) return softness_->viscosity_by_bend(c);
  if (c >= soft_below_) return 0.0;
  const Place p = place(c);
  return slope_at(p.piece.by_bend, p.distance);
}

ConditionCurve softer_curve(double factor) {
  assert(0.0 < factor && factor < 1.0);
  constexpr double kWidth = 1e-3;
  const auto knot = [](double c, double tau, double slope) {
    return ConditionCurve::Knot{c, tau, slope, 0.0, 0.0, 0.0};
  };
  return ConditionCurve(
      {knot(-kWidth, -0.5 * (1.0 + factor) * kWidth, factor), knot(0.0, 0.0, 1.0), knot(1.0, 1.0, 1.0)}, 0.0);
}

namespace {

using Knots = std::vector<ConditionCurve::Knot>;

// What `stretched` answers, at c, to what is left of c behind a slack (W16).
ConditionCurve::Knot behind_slack(double c, const ConditionCurve& slack, const ConditionCurve& stretched) {
  const double left = slack.tension(c), by = slack.tension_by_bend(c), rises = slack.stiffness(c);
  const double slope = stretched.stiffness(left);
  return {c, stretched.tension(left), slope * rises, slope * by,
          stretched.curvature(left) * rises * by + slope * slack.viscosity_by_bend(c)};
}

// Slopes of no more than three times the secants beside them keep the pieces between monotone (Fritsch &
// Carlson 1980). All but the first and the last.
void keep_monotone(Knots& knots, size_t first) {
  constexpr double kSteepest = 3.0;
  for (size_t j = first + 1; j + 1 < knots.size(); ++j) {
    ConditionCurve::Knot& knot = knots[j];
    for (const size_t from : {j - 1, j}) {
      const ConditionCurve::Knot &a = knots[from], &b = knots[from + 1];
      const double steepest = kSteepest * (b.tau - a.tau) / (b.c - a.c);
      if (knot.slope <= steepest) continue;
      knot.slope = steepest;
      knot.slope_by_bend = kSteepest * (b.tau_by_bend - a.tau_by_bend) / (b.c - a.c);
    }
  }
}

}  // namespace

ConditionCurve joined(std::shared_ptr<const ConditionCurve> compressed, const ConditionCurve& stretched) {
  Knots knots;
  if (!compressed) {
    knots.push_back({-1.0, -1.0, 1.0});
    for (const ConditionCurve::Knot& knot : stretched.knots())
      if (knot.c >= 0.0) knots.push_back(knot);
    return ConditionCurve(std::move(knots), ConditionCurve::kNowhere, stretched.stiffening());
  }
  for (const ConditionCurve::Knot& knot : compressed->knots())
    if (knot.c <= 0.0) knots.push_back(knot);
  assert(compressed->soft_below() >= 0.0);
  const size_t rest = knots.size() - 1;
  const double taut = compressed->soft_below(), left = compressed->tension(taut);
  constexpr int kPieces = 32;  // of a slack
  for (int i = 1; i <= kPieces && taut > 0.0; ++i)
    knots.push_back(behind_slack(taut * i / kPieces, *compressed, stretched));
  keep_monotone(knots, rest);
  // From there on the curve is the measured one, farther off by what is lost. That depends on bend, and the
  // curve moves with it as it is.
  const double lost_by_bend = -compressed->tension_by_bend(taut);
  knots.back().moves_by_bend = lost_by_bend;
  constexpr double kNext = 1.0 + 1e-6;  // from the last knot on, but for rounding
  for (const ConditionCurve::Knot& knot : stretched.knots()) {
    if (knot.c <= kNext * left) continue;
    knots.push_back({knot.c + taut - left, knot.tau, knot.slope, -knot.slope * lost_by_bend});
    knots.back().moves_by_bend = lost_by_bend;
  }
  return ConditionCurve(std::move(knots), compressed->soft_below(), stretched.stiffening(), compressed);
}

namespace {

// Both ways alike, from the knots of c > 0.
MeasuredCurve odd(double stiffness, const std::vector<ConditionCurve::Knot>& stretched) {
  std::vector<ConditionCurve::Knot> knots;
  for (auto knot = stretched.rbegin(); knot != stretched.rend(); ++knot)
    knots.push_back({-knot->c, -knot->tau, knot->slope});
  knots.push_back({0.0, 0.0, 1.0});
  knots.insert(knots.end(), stretched.begin(), stretched.end());
  const double stiffening = ConditionCurve(knots).greatest_stiffness();
  return {stiffness, ConditionCurve(std::move(knots), ConditionCurve::kNowhere, stiffening)};
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
