#pragma once

#include <string>
#include <vector>

#include "control/search/result.h"
#include "io/run/run_records.h"
#include "io/shot/shot.h"

namespace keydrape {

// The frame at which the interval ends that a state lies in, or ends: of what happens on the way to it.
int frame_into(const ShotClock& clock, int state);

// What is doubtful in the motion of a result, a sentence each: forces beyond what a shot can mean, or far
// larger in one frame than in the others; a vertex that is snatched into a target, and one that springs back
// behind the last. `summary` knows its forces, and how fast the cloth is without. With frame and vertex.
std::vector<std::string> motion_warnings(const Shot& shot, const SearchPoint& best,
                                         const ForceSchedule& forces, const RunSummary& summary);

}  // namespace keydrape
