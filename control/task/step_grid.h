#pragma once

namespace keydrape {

// Between two boundaries of intervals, counted from 0.
struct IntervalRange {
  int first = 0;
  int last = 0;  // > first
  int count() const { return last - first; }
  bool operator==(const IntervalRange&) const = default;
};

// Time as a search has it: intervals of the same length, as the frames of a film, each of so many steps.
// Forces are held, and targets stand, at multiples of intervals. Step n leads from state n to state n + 1.
struct StepGrid {
  int interval_count = 0;              // of a task > 0
  double intervals_per_second = 24.0;  // > 0
  int substeps = 1;                    // steps in an interval, > 0
  int first_step = 0;                  // steps of this size between time 0 and state 0: of a window

  double interval() const { return 1.0 / intervals_per_second; }         // [s]
  double dt() const { return 1.0 / (intervals_per_second * substeps); }  // [s]
  int step_count() const { return interval_count * substeps; }
  IntervalRange all() const { return {0, interval_count}; }
};

}  // namespace keydrape
