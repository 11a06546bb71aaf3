#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "core/step/simulator.h"

namespace keydrape {

// What happened: states x_0 .. x_N and how each step went. The sweeps take it as an argument (law 5).
struct Trajectory {
  std::vector<State> states;        // step_count() + 1
  std::vector<StepReport> reports;  // one a step
  std::vector<double> seconds;      // wall-clock time of each step [s]
  // Control forces of each step [N] (3n), where its derivatives need them (Simulator::differentiates_way);
  // else none, and none in a run from a file, or of parts, unless they are recalled (rollout.h).
  std::vector<VecX> forces{};
  int replayed_steps = 0;  // the first so many are those of a take, to the bit (control/run/replay.h)
  std::optional<State> before = std::nullopt;  // a step before the first state; none: it starts anew

  int step_count() const { return static_cast<int>(reports.size()); }
  const State& back() const { return states.back(); }
  // What step n starts from, 0 <= n <= step_count().
  StepFrom from(int n) const {
    if (n > 0) return {states[n], &states[n - 1]};
    return {states[n], before ? &*before : nullptr};
  }
  // The first step that did not converge; step_count() if all did.
  int first_failure() const;
};

// The vertex that is fastest in a run, and when.
struct FastestVertex {
  double speed = std::numeric_limits<double>::quiet_NaN();  // [m/s]; NaN: not known
  int vertex = -1;
  int state = -1;  // at which it has this speed
};
// Of the states behind the first. Requires one step or more.
FastestVertex fastest_vertex(const Trajectory& run);

}  // namespace keydrape
