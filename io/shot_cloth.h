#pragma once

#include <memory>

#include "core/model.h"
#include "io/scene.h"
#include "io/shot_clock.h"
#include "io/shot_mesh.h"

namespace keydrape {

// The cloth at the first frame [m] (3n): [cloth] initial, or else the rest mesh. Throws InputError as
// open_pose does, and for a triangle without area.
VecX open_initial(const Scene& scene, const TriangleMesh& rest, ShotWarnings& warnings);

// The cloth with its material, pins, springs, wind and gravity. Without a [wind] table there is no air at
// all. Throws InputError as build_model, open_pins and open_springs do.
std::unique_ptr<Model> open_model(const Scene& scene, const ShotClock& clock, const TriangleMesh& rest,
                                  const VecX& initial, ShotWarnings& warnings);

}  // namespace keydrape
