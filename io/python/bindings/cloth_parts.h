#pragma once

#include "core/cloth/cloth.h"
#include "io/python/bindings/part.h"
#include "io/scene/shot_clock.h"

// Parts of the cloth, out of the fields of keydrape/parts.py. All throw InputError.

namespace keydrape::python {

TriangleMesh read_mesh(const Part& task);
Material read_fabric(const Part& fabric, ClothModel model);
Wind::Shared read_wind(const Part& wind, const ShotClock& clock);
MovingFrame read_moving_frame(const Part& frame, const ShotClock& clock);
// Adds a pin; `start`: positions at the first frame [m] (3n), at which it holds where it does not say.
void add_pin(const Part& pin, const VecX& start, const ShotClock& clock, ClothDescription& cloth);
// Adds springs; lengths that are not given are those between the vertices at rest.
void add_springs(const Part& spring, const VecX& start, ClothDescription& cloth);
// Requires the cloth's mesh.
Crease read_crease(const Part& crease, const ShotClock& clock, const TriangleMesh& mesh);
void read_contact(const Part& contact, const ShotClock& clock, ClothDescription& cloth);
// Throws InputError: contact says how, and nothing is there to touch or rub on. Requires all of its bodies.
void refuse_idle_contact(const Part& contact, const ClothDescription& cloth);
// Adds a body; requires the mesh, the material and the contact of the cloth.
void add_body(const Part& body, const ShotClock& clock, ClothDescription& cloth);

}  // namespace keydrape::python
