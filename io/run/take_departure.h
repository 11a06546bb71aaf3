#pragma once

#include <string>

#include "control/run/trajectory.h"
#include "io/shot/shot.h"

namespace keydrape {

// How far `run`, of the take's forces by themselves, goes from what is recorded beside them: steps.npy, or
// else positions.npy. A sentence that names the first frame; empty: not noticeably, or nothing is recorded.
std::string departure_from_take(const Scene& scene, const Shot& shot, const Trajectory& run);

}  // namespace keydrape
