#pragma once

#include <algorithm>
#include <limits>

#include "control/goal/keyframe.h"

namespace keydrape {

// How far a keyframe may be missed. Infinite: that part of the miss does not count.
struct KeyframeTolerance {
  double rms;                                                     // of positions [m], > 0
  double velocity_rms = std::numeric_limits<double>::infinity();  // [m/s], > 0
  double max = std::numeric_limits<double>::infinity();           // of every vertex with weight [m], > 0
  bool is_max_asked = false;                                      // else it is pursued, and decides nothing

  // The larger of the two RMS misses, over their tolerances: 1 and less is within them.
  double share(const KeyframeMiss& miss) const {
    return std::max(miss.rms / rms, miss.velocity_rms / velocity_rms);
  }
  // Likewise of the farthest vertex.
  double share_of_farthest(const KeyframeMiss& miss) const { return miss.max / max; }
};

}  // namespace keydrape
