#pragma once

#include <algorithm>
#include <limits>

#include "control/goal/keyframe.h"

namespace keydrape {

// How far a keyframe may be missed. Infinite: that part of the miss does not count.
struct KeyframeTolerance {
  double rms;                                                     // of positions [m], > 0
  double velocity_rms = std::numeric_limits<double>::infinity();  // [m/s], > 0

  // The larger of the two misses, over their tolerances: 1 and less is within them.
  double share(const KeyframeMiss& miss) const {
    return std::max(miss.rms / rms, miss.velocity_rms / velocity_rms);
  }
};

}  // namespace keydrape
