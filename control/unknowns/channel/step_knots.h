#pragma once

#include <vector>

#include "core/base/types.h"

namespace keydrape {

// Part of a knot's value in what a step feels.
struct KnotShare {
  int knot;
  double share;
};

// What a course in time is at the start: free, a knot like the others, or zero, and no knot.
enum class CourseStart { kFree, kZero };

// A course in time: linear from knot to knot, a knot every so many steps from the start on, the last one at
// the end or beyond it. Step n feels the value at its end.
class StepKnots {
 public:
  // Requires positive counts.
  StepKnots(int step_count, int steps_in_span, CourseStart start);

  int count() const { return span_count_ + (start_ == CourseStart::kFree ? 1 : 0); }
  int step_count() const { return step_count_; }
  int state(int knot) const;  // index of the state at which a knot stands
  std::vector<KnotShare> shares(int step) const { return shares_at(step + 1); }
  std::vector<KnotShare> shares_at(int state) const;  // one or two; none where the value is zero

  // The value at a state, of `width` numbers a knot.
  VecX at(int state, const VecX& values, int width) const;

 private:
  int step_count_, steps_in_span_, span_count_;
  CourseStart start_;
};

}  // namespace keydrape
