#pragma once

#include <vector>

#include "control/goal/keyframe.h"

namespace keydrape {

// The least misses of all runs that a search has begun with or gone on from, and how fast they fall.
struct ClosestMisses {
  // After so many runs: of each keyframe the least of its positions and the least of its velocities,
  // each by itself.
  struct Mark {
    int runs = 0;
    std::vector<KeyframeMiss> least;  // empty: none was complete yet
  };
  Mark now;
  // `half` is set anew where the runs have doubled since it was, which may be the run before the last;
  // `quarter`, what it was before then, is of the first half of the runs.
  Mark half, quarter;

  // Of a complete run, after `runs` forward runs.
  void take_in(const std::vector<KeyframeMiss>& misses, int runs);
  // What a miss of keyframe k, rms [m] or velocity_rms [m/s], is going to be after so many times the runs, as
  // a power of their number falls: as it did since the last quarter to half of them. Requires a run.
  double after(int times, std::size_t k, double KeyframeMiss::*miss = &KeyframeMiss::rms) const;
};

}  // namespace keydrape
