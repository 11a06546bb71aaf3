#pragma once

#include <optional>

#include "control/run/trajectory.h"
#include "control/task/prepared_task.h"

namespace keydrape {

// Where a target of the task, which may slide, was met among the states up to `last`: the nearest of those
// that are within what the search aims at (aimed_tolerances, by default kDefaultTolerance). None: it was not
// met there, does not slide, or asks for nothing.
std::optional<KeyframeMiss> met_until(const Task& task, std::size_t k, const StateSource& states, int last);

// What came of a task before a part of it, and what comes behind.
struct BesideWindow {
  const Trajectory& run;  // from the task's start to the part's
  const VecX& z;          // of the whole task, as far as it is known
  bool is_last;           // no later part chooses the forces behind this one
};

// A part of a task as a task of its own (control/EQUATIONS.md (W1) to (W3)): from where the run has come,
// with the targets after that; but those that may slide and were met on the way. Smooth terms and effort
// weigh as much in a block as in the whole task; the forces of its take go on.
Task window_of(const PreparedTask& whole, const IntervalRange& range, const BesideWindow& beside);

// Where the unknowns begin of which forces are made from an interval on; all of them, where there are none.
Eigen::Index unknowns_before(const PreparedTask& whole, int interval);

// Between unknowns of the whole task and those of a window of it that stand for the same forces.
class WindowUnknowns {
 public:
  // Both outlive it.
  WindowUnknowns(const PreparedTask& whole, const PreparedTask& window, const IntervalRange& range);

  VecX of_window(const VecX& z) const;
  // Into z, of which the rest stays.  (W2)
  void put(const VecX& z_window, VecX& z) const;

 private:
  Eigen::Index first_;  // of the window's unknowns
  Eigen::Index size_;   // of them
  double scale_;        // unknowns of the window over those of the whole
};

}  // namespace keydrape
