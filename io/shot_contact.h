#pragma once

#include <vector>

#include "core/cloth.h"
#include "io/body_motion.h"
#include "io/scene.h"
#include "io/shot_clock.h"
#include "io/shot_mesh.h"

namespace keydrape {

// Opens the bodies of [[collider]] and what [contact] says into `cloth`, whose mesh, material and pins are
// set. Meshes and .vdb files are in the scene's unit, all lengths of the scene file in metres. Throws
// InputError: a file that cannot be read, an open mesh as a volume, a cache of another number of points or
// too few frames.
void open_contact(const Scene& scene, const ShotClock& clock, ClothDescription& cloth,
                  ShotWarnings& warnings);

// Where the bodies of [[collider]] go, in the scene's order; a level set of a .vdb file, which nothing can
// draw, counts as at rest. Throws InputError as open_contact does for meshes and caches.
std::vector<BodyMotion> open_body_motions(const Scene& scene, const ShotClock& clock);

}  // namespace keydrape
