#pragma once

#include "core/contact/pairs/surface_pairs.h"
#include "core/linear/cholesky.h"
#include "core/step/round_matrix.h"

namespace keydrape {

// What the steps of one simulator use on their way and keep for the next, to be faster. No result depends on
// it. For one thread at a time: each that takes steps has one of its own. Must not outlive the simulator.
struct StepWorkspace {
  CholeskyWorkspace cholesky;
  PairSearch pairs;
  MadeMatrices matrices;
};

}  // namespace keydrape
