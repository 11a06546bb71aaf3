#pragma once

#include "core/cloth/cloth.h"
#include "io/scene/scene.h"
#include "io/shot/input/mesh.h"

namespace keydrape {

// Warns where the way in which pins hold the cloth at the first frame makes one doubt which axis is up: it
// stands on them, or sticks out level from them as it would hang with the other axis up. Not of cloth that
// lies flat, that a body is at or that is blown up, nor where gravity points elsewhere.
void warn_of_axis(const Scene& scene, const ClothDescription& cloth, const VecX& start,
                  ShotWarnings& warnings);

}  // namespace keydrape
