#pragma once

#include <string>

#include "control/goal/keyframe.h"
#include "core/mesh/mesh.h"
#include "io/cache/up_axis.h"

namespace keydrape {

// What makes one doubt that a [[keyframe]] surface is in the unit of the cloth, has the same axis up and its
// triangles the right way round, as the end of a sentence about it; empty: nothing. It is much larger or
// smaller than the cloth that is to lie on it; far away, and near once it is turned; its back is towards
// nearly all of the cloth. `start`: the cloth at the first frame [m] (3n); `up`: the axis of the meshes.
std::string doubt_about_surface(const Keyframe& keyframe, const TriangleMesh& rest, const VecX& start,
                                UpAxis up);

}  // namespace keydrape
