#pragma once

#include <vector>

#include "core/base/types.h"

namespace keydrape {

// Points that move on given paths: straight and at constant speed from sample to sample, at rest before the
// first and after the last. One sample: points that never move.
struct MotionTrack {
  std::vector<VecX> samples;     // [m], 3 numbers a point
  double sample_interval = 1.0;  // [s]
  double start_time = 0.0;       // of the first sample [s]; 0: the shot's first frame

  double end_time() const { return start_time + static_cast<double>(samples.size() - 1) * sample_interval; }
  int point_count() const { return samples.empty() ? 0 : static_cast<int>(samples.front().size() / 3); }

  // Where `point` is at `time` [s]. Requires at least one sample, 0 <= point < point_count(),
  // sample_interval > 0.
  Vec3 position(int point, double time) const;
};

}  // namespace keydrape
