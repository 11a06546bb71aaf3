#pragma once

#include "io/scene/scene.h"
#include "io/shot/shot.h"

// What in a scene contradicts itself. The rule: what leaves nothing to be solved for is refused; what no run
// can satisfy, but a compromise may be meant by it, warns. Both places are named.

namespace keydrape {

// Throws InputError where a search has nothing to do: no target has weight, or none lies where [control]
// window or frames let something be changed.
void refuse_without_goal(const Scene& scene);

// Warns of two targets of one frame that no shape is within the tolerances of.
void warn_of_rivals(Shot& shot);

// Warns of targets before which [control] frames lets no force act; of a track the first such frame is named.
void warn_of_late_forces(const Scene& scene, Shot& shot);

}  // namespace keydrape
