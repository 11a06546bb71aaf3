#include "control/unknowns/channel/step_knots.h"

#include <cassert>

namespace keydrape {

StepKnots::StepKnots(const KnotSpacing& spacing)
    : spacing_(spacing), span_count_(static_cast<int>((spacing.step_count - 1) / spacing.steps_in_span) + 1) {
  assert(spacing.step_count > 0 && spacing.steps_in_span > 0 && spacing.dt > 0.0);
}

std::int64_t StepKnots::state(int knot) const {
  return (knot + (spacing_.start == CourseStart::kZero ? 1 : 0)) * spacing_.steps_in_span;
}

std::vector<KnotShare> StepKnots::shares_at(int state) const {
  assert(0 <= state && state <= spacing_.step_count);
  const int first = spacing_.start == CourseStart::kZero ? -1 : 0;  // number of the knot at the start
  const int before = static_cast<int>(state / spacing_.steps_in_span);
  const double s =
      static_cast<double>(state % spacing_.steps_in_span) / static_cast<double>(spacing_.steps_in_span);
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
