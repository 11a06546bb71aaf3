#pragma once

#include <cstdint>
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

// Where knots stand. Requires positive numbers.
struct KnotSpacing {
  int step_count;              // of the whole course
  std::int64_t steps_in_span;  // from one knot to the next, perhaps far beyond the end
  double dt;                   // of a step [s]
  CourseStart start;
};

// A course in time: linear from knot to knot, a knot every so many steps from the start on, the last one at
// the end or beyond it. Step n feels the value at its end.
class StepKnots {
 public:
  explicit StepKnots(const KnotSpacing& spacing);

  int count() const { return span_count_ + (spacing_.start == CourseStart::kFree ? 1 : 0); }
  int step_count() const { return spacing_.step_count; }
  double dt() const { return spacing_.dt; }  // [s]
  std::int64_t state(int knot) const;        // index of the state at which a knot stands
  std::vector<KnotShare> shares(int step) const { return shares_at(step + 1); }
  std::vector<KnotShare> shares_at(int state) const;  // one or two; none where the value is zero

  // The value at a state, of `width` numbers a knot.
  VecX at(int state, const VecX& values, int width) const;

 private:
  KnotSpacing spacing_;
  int span_count_;
};

}  // namespace keydrape
