#include "control/unknowns/channel/step_knots.h"

#include <cassert>

namespace keydrape {

StepKnots::StepKnots(int step_count, int steps_in_span, CourseStart start)
    : step_count_(step_count),
      steps_in_span_(steps_in_span),
      span_count_((step_count + steps_in_span - 1) / steps_in_span),
      start_(start) {
  assert(step_count > 0 && steps_in_span > 0);
}

int StepKnots::state(int knot) const {
  return (knot + (start_ == CourseStart::kZero ? 1 : 0)) * steps_in_span_;
}

std::vector<KnotShare> StepKnots::shares_at(int state) const {
  assert(0 <= state && state <= step_count_);
  const int first = start_ == CourseStart::kZero ? -1 : 0;  // number of the knot at the start
  const int before = state / steps_in_span_;
  const double s = static_cast<double>(state % steps_in_span_) / steps_in_span_;
  std::vector<KnotShare> shares;
  if (before + first >= 0) shares.push_back({before + first, 1.0 - s});
  if (s > 0.0) shares.push_back({before + first + 1, s});
  return shares;
}

VecX StepKnots::at(int state, const VecX& values, int width) const {
  assert(values.size() == static_cast<Eigen::Index>(count()) * width);
  VecX value = VecX::Zero(width);
  for (const auto& [knot, share] : shares_at(state)) value += share * values.segment(knot * width, width);
  return value;
}

}  // namespace keydrape
