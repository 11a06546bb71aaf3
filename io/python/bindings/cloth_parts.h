#pragma once

#include "core/cloth/cloth.h"
#include "io/python/bindings/part.h"
#include "io/scene/shot_clock.h"

// Parts of the cloth, out of the fields of keydrape/parts.py. All throw InputError.

namespace keydrape::python {

TriangleMesh read_mesh(const Part& task);
Material read_fabric(const Part& fabric);
Wind::Shared read_wind(const Part& wind, double fps);
MovingFrame read_moving_frame(const Part& frame, double fps);
// Adds a pin; `start`: positions at the first frame [m] (3n), at which it holds where it does not say.
void add_pin(const Part& pin, const VecX& start, double fps, ClothDescription& cloth);
// Adds springs; lengths that are not given are those between the vertices at rest.
void add_springs(const Part& spring, const VecX& start, ClothDescription& cloth);
void read_contact(const Part& contact, ClothDescription& cloth);
// Adds a body; requires the mesh, the material and the contact of the cloth.
void add_body(const Part& body, const ShotClock& clock, ClothDescription& cloth);

}  // namespace keydrape::python
