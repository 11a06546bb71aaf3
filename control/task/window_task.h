#pragma once

#include <optional>

#include "control/run/trajectory.h"
#include "control/task/prepared_task.h"

namespace keydrape {

// Where a target of the task, which may slide, was met among the states up to `last`: the nearest of those
// that are within what the search aims at (aimed_tolerances, by default kDefaultTolerance). None: it was not
// met there, or does not slide.
std::optional<KeyframeMiss> met_until(const Task& task, std::size_t k, const StateSource& states, int last);

// A part of a task as a task of its own (control/EQUATIONS.md (W1) and (W2)): from where `before`, a run from
// the task's start to the part's, has come, with the targets after that; but those that may slide and were
// met on the way. Smooth terms and effort weigh as much in a block as in the whole task; the forces of its
// take go on.
Task window_of(const PreparedTask& whole, const IntervalRange& range, const Trajectory& before);

// Between unknowns of the whole task and those of a window of it that stand for the same forces.
class WindowUnknowns {
 public:
  // Both outlive it.
  WindowUnknowns(const PreparedTask& whole, const PreparedTask& window, const IntervalRange& range);

  VecX of_window(const VecX& z) const;
  // Into z, of which the rest stays.  (W2)
  void put(const VecX& z_window, VecX& z) const;

 private:
  int first_;     // of the window's unknowns
  int size_;      // of them
  double scale_;  // unknowns of the window over those of the whole
};

}  // namespace keydrape
