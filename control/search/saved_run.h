#pragma once

#include "control/run/trajectory.h"

namespace keydrape {

// A run of a search: its unknowns and what they led to. Every step converged, unless it is of windows.
struct SavedRun {
  VecX z;
  Trajectory trajectory;
};

// One that lives elsewhere.
struct RunView {
  const VecX& z;
  const Trajectory& trajectory;
};

}  // namespace keydrape
