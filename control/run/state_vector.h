#pragma once

#include "core/base/types.h"

namespace keydrape {

// dJ/d(state), or a perturbation of a state.
struct StateVector {
  VecX x, v;
};

}  // namespace keydrape
