#pragma once

#include <optional>
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

// Where two hard pins, with their vertices in ascending order, do not agree about one that both hold.
struct PinDisagreement {
  int vertex, frame;
  bool in_directions;  // that they hold it in; else about its place
};
// The first, at those of `frames` where both hold: pins that take over at a frame share it. `size`: of the
// cloth [m], of which a small part is none.
std::optional<PinDisagreement> find_disagreement(const HardPin& a, const HardPin& b, const FrameRange& frames,
                                                 const ShotClock& clock, double size);

// The [[spring]] tables. Throws InputError: no such vertex, `lines` where the mesh has none, a spring with a
// rest length whose ends meet in the initial pose.
std::vector<SpringSpec> make_springs(const Scene& scene, const TriangleMesh& rest, const VecX& initial);

}  // namespace keydrape
