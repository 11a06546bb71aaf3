#pragma once

#include "control/run/force_schedule.h"
#include "control/task/step_grid.h"
#include "control/unknowns/control_layout.h"

namespace keydrape {

// More than a shot can mean: 2 m within a frame at 24 fps take 235 g.
inline constexpr double kImplausiblePeak = 1000.0;  // [g_0]

// How large the forces of a run are and how evenly they are spread, as accelerations in units of g_0: of all
// that pushes, the forces of a take included. Even forces do not show; cloth that is snatched into a pose has
// its peak, and its largest interval, just before a target.
struct ForceFigures {
  double peak_g = 0.0;
  double rms_g = 0.0;  // over the vertices and steps on which forces may act, or a take's do

  // RMS over the vertices, interval by interval (of StepGrid): the largest, where, and their mean.
  double largest_interval_g = 0.0;
  int largest_interval = -1;  // -1: there are no forces
  double mean_interval_g = 0.0;
  // Mean size of what changes from one interval to the next, over the mean size; white noise has 1.4.
  double change = 0.0;

  double peak_over_rms() const { return rms_g > 0.0 ? peak_g / rms_g : 0.0; }
  double largest_over_mean() const {
    return mean_interval_g > 0.0 ? largest_interval_g / mean_interval_g : 0.0;
  }
};

// Of the forces of a task with this grid and layout. `searched`: the intervals in which forces may act; those
// of a take count outside of them, too. vertex_mass: [kg] (n).
ForceFigures measure_forces(const StepGrid& grid, const ControlLayout& layout, const IntervalRange& searched,
                            const VecX& vertex_mass, const ForceSchedule& forces);

}  // namespace keydrape
