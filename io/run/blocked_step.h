#pragma once

#include <string>

#include "control/run/trajectory.h"
#include "io/shot/shot.h"

namespace keydrape {

// What is in the way of a step that found no free way, with pins, bodies and stretch_scale as at its end:
// triangles beyond the strain limit, features too near to others that collide as triangles, and the vertex
// that is deepest within a [[collider]] of another kind, and whether a pin had let it go there. Clauses that
// begin with "; ", or nothing where it is the way that is not free. Requires a run that reaches step n.
std::string describe_blocked(const Shot& shot, const Trajectory& trajectory, int n);

// The first triangle that pins press to no area in step n, where cloth has no directions of its own any more,
// as a clause that begins with "; ". Nothing where there is none. Requires the same.
std::string describe_flat(const Shot& shot, const Trajectory& trajectory, int n);

}  // namespace keydrape
