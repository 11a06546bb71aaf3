#pragma once

#include <optional>
#include <vector>

#include "control/keyframe.h"
#include "core/constraint/hard_pin.h"
#include "io/scene.h"
#include "io/shot_clock.h"
#include "io/shot_mesh.h"

namespace keydrape {

// A keyframe as the artist set it.
struct ShotKeyframe {
  int frame;
  std::optional<double> tolerance;  // on the RMS distance [m]; none: any distance will do
  Keyframe goal;
};

// The [[keyframe]] tables. Throws InputError: a keyframe on the first frame, which no force can change; a
// mesh, a group, weights or velocities that do not fit. Warns of goals that a hard pin keeps out of reach.
std::vector<ShotKeyframe> open_keyframes(const Scene& scene, const ShotClock& clock, const TriangleMesh& rest,
                                         const std::vector<HardPin>& pins, ShotWarnings& warnings);

}  // namespace keydrape
