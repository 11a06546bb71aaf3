#pragma once

namespace keydrape {

// Whether what begins and ends at these times acts in the step that ends at `time` [s], both ends included.
// Ends of steps and times of frames are rounded differently: without the slack a pin of the last frame would
// miss it at 25 or 29.97 frames a second, and not at 24.
inline bool is_active(double begin_time, double end_time, double time) {
  constexpr double kSlack = 1e-9;  // [s]
  return time >= begin_time - kSlack && time <= end_time + kSlack;
}

}  // namespace keydrape
