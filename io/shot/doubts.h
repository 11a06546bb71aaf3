#pragma once

#include "core/cloth/cloth.h"
#include "io/scene/scene.h"
#include "io/shot/input/mesh.h"

namespace keydrape {

// What no key alone tells, and is likely a slip: gravity that does not point down, bodies in another unit
// than the cloth, tolerances finer than files can tell, one target twice, knots farther apart than the shot
// is long. `start`: positions at the first frame [m] (3n). One sentence each, with the scene's line.
void warn_of_slips(const Scene& scene, const ClothDescription& cloth, const VecX& start,
                   ShotWarnings& warnings);

}  // namespace keydrape
