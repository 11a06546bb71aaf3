#include "examples/generator/curve.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace keydrape::examples {

namespace {
// The flag's curves are then within 6e-7 m of those traced with steps of 1e-5 m.
constexpr double kStep = 1e-3;  // [m]
}  // namespace

double ease(double x, double from, double to) {
  assert(from < to);
  const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

PlaneCurve::PlaneCurve(const std::function<double(double)>& tangent_angle, double length) {
  points_.push_back(Vec2::Zero());
  const int step_count = static_cast<int>(std::ceil(length / kStep)) + 1;
  for (int i = 0; i < step_count; ++i) {
    const double angle = tangent_angle((i + 0.5) * kStep);
    points_.push_back(points_.back() + kStep * Vec2(std::cos(angle), std::sin(angle)));
  }
}

Vec2 PlaneCurve::at(double s) const {
  if (s <= 0) return {s, 0};
  const int i = static_cast<int>(s / kStep);
  assert(i + 1 < static_cast<int>(points_.size()));
  return points_[i] + (s / kStep - i) * (points_[i + 1] - points_[i]);
}

}  // namespace keydrape::examples
