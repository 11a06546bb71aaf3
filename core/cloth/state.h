#pragma once

#include "core/base/types.h"

namespace keydrape {

// The cloth at one moment. Everything that moves, and nothing else (law 2).
struct State {
  VecX x;  // positions  [m]   (3n)
  VecX v;  // velocities [m/s] (3n)
};

}  // namespace keydrape
