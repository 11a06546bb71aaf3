#pragma once

#include "core/cloth/cloth.h"
#include "io/scene/scene.h"
#include "io/scene/shot_clock.h"
#include "io/shot/input/mesh.h"

namespace keydrape {

// Warns of pins that stand still on a body, in it or around it, as a waistband around a figure, while the
// body goes away. `start`: positions at the first frame [m] (3n). Planes, which have no place, are left out,
// and so is turning where a body stands.
void warn_of_bodies_that_leave(const Scene& scene, const ShotClock& clock, const ClothDescription& cloth,
                               const VecX& start, ShotWarnings& warnings);

}  // namespace keydrape
