#pragma once

#include <vector>

#include "core/base/types.h"

namespace keydrape {

// Part of a knot's value in what a step feels.
struct KnotShare {
  int knot;
  double share;
};

// A course in time: linear from knot to knot, a knot every so many steps from the start on, the last one at
// the end or beyond it. Step n feels the value at its end.
class StepKnots {
 public:
  // `begins_at_zero`: the value at the start is zero and no knot. Requires positive counts.
  StepKnots(int step_count, int steps_in_span, bool begins_at_zero);

  int count() const { return span_count_ + (begins_at_zero_ ? 0 : 1); }
  int step_count() const { return step_count_; }
  int state(int knot) const;  // index of the state at which a knot stands
  std::vector<KnotShare> shares(int step) const { return shares_at(step + 1); }
  std::vector<KnotShare> shares_at(int state) const;  // one or two; none where the value is zero

  // The value at a state, of `width` numbers a knot.
  VecX at(int state, const VecX& values, int width) const;

 private:
  int step_count_, steps_in_span_, span_count_;
  bool begins_at_zero_;
};

}  // namespace keydrape
