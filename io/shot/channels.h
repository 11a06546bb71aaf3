#pragma once

#include <vector>

#include "control/unknowns/channel/channel_spec.h"
#include "io/scene/scene.h"

namespace keydrape {

// The [[control.channel]] tables, for a cloth of this description, whose mesh is `rest`. Throws InputError:
// no [wind], no such pin, no such group, a number of the material that is zero, or the density where
// max_acceleration divides by it.
std::vector<ChannelSpec> make_channel_specs(const Scene& scene, const TriangleMesh& rest,
                                            const ClothDescription& cloth);

}  // namespace keydrape
