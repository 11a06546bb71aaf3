#pragma once

#include <cstdint>

#include "io/cache/frame_range.h"

namespace keydrape {

// States and forces of more steps than this fit no memory.
inline constexpr std::int64_t kMaxSteps = 1'000'000;

// Artists' frames against the solver's time: the shot's first frame is time 0 and state 0, frame f is state
// (f - first) * substeps.
struct ShotClock {
  FrameRange frames;
  double fps = 24.0;  // > 0
  int substeps = 1;   // > 0

  double dt() const { return 1.0 / (fps * substeps); }                            // [s]
  double time_of_frame(int frame) const { return (frame - frames.first) / fps; }  // [s]
  int step_count() const { return (frames.count() - 1) * substeps; }
  int state_of_frame(int frame) const { return (frame - frames.first) * substeps; }

  // Step n runs within the frame interval that starts at frame_of_step(n), as its substep_of_step(n)-th of
  // `substeps`, counted from 1.
  int frame_of_step(int n) const { return frames.first + n / substeps; }
  int substep_of_step(int n) const { return n % substeps + 1; }
};

}  // namespace keydrape
