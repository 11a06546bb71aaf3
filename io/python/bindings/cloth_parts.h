#pragma once

#include "core/cloth/cloth.h"
#include "io/python/bindings/part.h"

// Parts of the cloth, out of the fields of keydrape/parts.py. All throw InputError.

namespace keydrape::python {

TriangleMesh read_mesh(const Part& task);
Material read_fabric(const Part& fabric);
Wind::Shared read_wind(const Part& wind);
// Adds a pin; `start`: positions at the first frame [m] (3n), at which it holds where it does not say.
void add_pin(const Part& pin, const VecX& start, double fps, ClothDescription& cloth);
void read_contact(const Part& contact, ClothDescription& cloth);
// Adds a body; requires the mesh, the material and [contact] of the cloth. The start has to be outside of it.
void add_body(const Part& body, const VecX& start, ClothDescription& cloth);

}  // namespace keydrape::python
