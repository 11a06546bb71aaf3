#pragma once

#include <memory>

#include "core/cloth/cloth.h"
#include "io/scene/scene.h"
#include "io/shot/shot.h"

namespace keydrape {

// The [[control.channel]] tables, null if there are none. `shot` has its clock, rest mesh, start, model and
// simulator; `cloth` is the description of the model. Throws InputError: no [wind], no such pin, no such
// group, a number of the material that is zero, or the density where max_acceleration divides by it.
std::unique_ptr<Channels> open_channels(const Scene& scene, const Shot& shot, const ClothDescription& cloth);

}  // namespace keydrape
