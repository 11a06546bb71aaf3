#pragma once

#include <string>
#include <vector>

#include "control/search/result.h"
#include "io/run/run_records.h"
#include "io/shot/shot.h"

namespace keydrape {

// What is doubtful in the motion of a result, a sentence each: forces beyond what a shot can mean, or far
// larger in one frame than in the others; a vertex that is snatched into a target, and one that springs back
// behind the last. `summary` knows its forces, and how fast the cloth is without. With vertex, and
// the frame in whose interval it is, as in summary.json.
std::vector<std::string> motion_warnings(const Shot& shot, const SearchPoint& best,
                                         const ForceSchedule& forces, const RunSummary& summary);

}  // namespace keydrape
