#pragma once

#include <vector>

#include "core/cloth/cloth.h"
#include "io/scene/scene.h"
#include "io/scene/shot_clock.h"
#include "io/shot/input/mesh.h"
#include "io/shot/keyframes.h"

namespace keydrape {

// Warns of keyframes that no cloth can take: within bodies as they are at that frame, through themselves or
// with layers nearer than the thickness, beyond the strain limit; with the count and the worst or first
// place. The solve then settles for the nearest shape that is clean. Vertices without weight, and those that
// pins hold then, do not count. Of a track the first such frame is named.
void warn_of_overlaps(const Scene& scene, const ShotClock& clock, const ClothDescription& cloth,
                      const std::vector<ShotKeyframe>& keyframes, ShotWarnings& warnings);

}  // namespace keydrape
