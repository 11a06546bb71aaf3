#pragma once

#include <memory>

#include "core/cloth/cloth.h"
#include "io/scene/scene.h"
#include "io/scene/shot_clock.h"
#include "io/shot/input/mesh.h"

namespace keydrape {

// The cloth at the first frame [m] (3n): [cloth] initial, or else the rest mesh, which may be draped later.
// Throws InputError as
// read_pose does, and for a triangle without area.
VecX read_initial(const Scene& scene, const TriangleMesh& rest, ShotWarnings& warnings);

// The cloth with its material, pins, springs, wind, gravity, bodies and contact. Without a [wind] table there
// is no air at all. Throws InputError as read_pins, make_springs and read_contact do.
ClothDescription describe_cloth(const Scene& scene, const ShotClock& clock, const TriangleMesh& rest,
                                const VecX& initial, ShotWarnings& warnings);

// Throws InputError as build_model does.
std::unique_ptr<Model> make_model(const Scene& scene, const ClothDescription& cloth);

// Throws InputError if triangles are beyond the strain limit at the first frame, naming the one that
// is stretched most.
void check_start_stretch(const Scene& scene, const ClothDescription& cloth, const VecX& initial);

// Throws InputError where cloth of springs begins with both ends of one of its own in one place.
void check_start_springs(const Scene& scene, const ClothDescription& cloth, const VecX& initial);

}  // namespace keydrape
