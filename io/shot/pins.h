#pragma once

#include <vector>

#include "core/cloth/cloth.h"
#include "io/scene/scene.h"
#include "io/scene/shot_clock.h"
#include "io/shot/input/mesh.h"

namespace keydrape {

struct ShotPins {
  std::vector<HardPin> hard;
  std::vector<SoftPin> soft;
};

// The [[pin]] tables. `initial`: the cloth at the first frame (3n), where pins without motion stay.
// Throws InputError: no such vertex or group, weights or a motion that do not fit, hard
// pins that hold a vertex at one frame in other directions or at another place.
ShotPins read_pins(const Scene& scene, const ShotClock& clock, const TriangleMesh& rest, const VecX& initial,
                   ShotWarnings& warnings);

// The [[spring]] tables. Throws InputError: no such vertex, `lines` where the mesh has none, a spring with a
// rest length whose ends meet in the initial pose.
std::vector<SpringSpec> make_springs(const Scene& scene, const TriangleMesh& rest, const VecX& initial);

}  // namespace keydrape
