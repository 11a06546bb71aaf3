#pragma once

#include <optional>

#include "core/step/simulator.h"

namespace keydrape {

// Step n of a take once more: the step that ends at `end` [m] (3n), if that solves it from there under u
// [N] (3n), core's equation (3) to the tolerance at which Newton would stop; none otherwise. Where cloth can
// settle in several ways within a step, its forces alone do not say which way was meant; the positions do,
// and checking them costs less than a Newton iteration. Steps that are not solved cannot be checked: none.
std::optional<StepResult> replay_step(const Simulator& simulator, int n, const StepFrom& from, const VecX& u,
                                      const VecX& end, StepWorkspace& work);

}  // namespace keydrape
