#pragma once

#include "core/cloth.h"
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

// Throws InputError if cloth begins the shot within a body, naming the collider, how many of its vertices are
// and the deepest, or the same of points between vertices; or, where it collides with itself, through itself
// or with layers nearer than its thickness. `x`: positions at the first frame [m] (3n).
void refuse_bad_start(const Scene& scene, const ClothDescription& cloth, const VecX& x);

}  // namespace keydrape
