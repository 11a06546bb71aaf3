#pragma once

#include <optional>

#include "control/run/trajectory.h"
#include "io/shot/shot.h"

namespace keydrape {

// What became of cloth that began through itself ([contact] start_crossings = "exempt").
struct CrossingFigures {
  int places = 0;                        // edges that went through triangles at the first frame
  int curves = 0, curves_left = 0;       // along which they did, and of these at the end of the run
  int near_pairs = 0;                    // nearer than the thickness at the first frame
  int near_pairs_left = 0;               // with less than the whole gap at the end, of curves too
  std::optional<int> last_parted_frame;  // in which the last curve came apart; none: none has
};

// None where nothing began so.
std::optional<CrossingFigures> crossing_figures(const Shot& shot, const Trajectory& run);

}  // namespace keydrape
