#pragma once

#include <string>

#include "control/trajectory.h"
#include "io/shot.h"

namespace keydrape {

// Which vertex of the cloth is within which [[collider]] when a step begins that found no free way to, the
// deepest, with pins and volumes where they are at its end; and whether a pin had let it go there. A sentence
// that begins with
// "; ", or nothing where there is none. Requires a trajectory that reaches step n.
std::string describe_blocked(const Shot& shot, const Trajectory& trajectory, int n);

}  // namespace keydrape
