#pragma once

#include "core/types.h"

namespace keydrape {

// A pose that the cloth is to take at one moment.
struct Keyframe {
  int state;                 // index of the state x_n that is compared: n >= 1
  VecX target;               // positions [m] (3n)
  VecX vertex_weight;        // omega, >= 0, some > 0 (n)
  double weight = 1.0;       // w of the positions
  double velocity_weight = 0.0;
  VecX target_velocity;      // [m/s] (3n); needed if velocity_weight > 0
};

// How far a state is from a keyframe, over the vertices with weight.
struct KeyframeMiss {
  double rms;  // sqrt( sum omega |x - x*|^2 / sum omega ) [m]
  double max;  // largest |x - x*| among the vertices with omega > 0 [m]
};

KeyframeMiss measure_miss(const Keyframe& keyframe, const VecX& x);

}  // namespace keydrape
