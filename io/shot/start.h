#pragma once

#include "control/task/prepared_task.h"
#include "core/cloth/cloth.h"
#include "core/step/drape.h"
#include "io/scene/scene.h"
#include "io/scene/shot_clock.h"
#include "io/shot/input/mesh.h"

namespace keydrape {

// Throws InputError if cloth begins the shot within a body, or nearer to it than it may be draped where it is
// to be, naming the collider, how many of its vertices are and the deepest, or the same of points between
// vertices; or, where it collides with itself and that is not exempt, through itself or with layers nearer
// than its thickness.
// `x`: positions at the first frame [m] (3n).
void check_start(const Scene& scene, const ClothDescription& cloth, const VecX& x);

// With [contact] repair: `x` where it is clean, else where repair_start moves it, with a warning that says
// how far. Throws InputError where that fails, or where vertices that pins hold are in the way.
VecX repaired_start(const Scene& scene, const ClothDescription& cloth, const VecX& x, ShotWarnings& warnings);

// With [contact] start_crossings = "exempt": what begins the shot through each other or too near, with a
// warning that says how much it is and where; null where nothing does.
ExemptionsPointer exempt_start(const Scene& scene, const ClothDescription& cloth, const VecX& x,
                               ShotWarnings& warnings);

// Warns of cloth that begins so near to bodies or itself that contact throws it off.
void warn_of_thrown_start(const Scene& scene, const PreparedTask& prepared, ShotWarnings& warnings);

// How a scene's cloth is draped at its first frame.
DrapeOptions drape_options(const Scene& scene, const ShotClock& clock);
// [cloth] initial = "drape": where `x`, a clean start, comes to rest. Throws InputError where it does not.
// `how`: its longest round becomes that which cloth much like this one may take.
VecX draped_start(const Scene& scene, const ClothDescription& cloth, const VecX& x, DrapeOptions& how);

// Cloth that channels change comes to rest anew. Throws InputError where that of the scene itself does not.
void check_draped_anew(const Scene& scene, const PreparedTask& prepared);

}  // namespace keydrape
