#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "control/goal/keyframe.h"
#include "control/goal/target_surface.h"
#include "core/constraint/hard_pin.h"
#include "io/scene/scene.h"
#include "io/scene/shot_clock.h"
#include "io/shot/input/mesh.h"

namespace keydrape {

// A keyframe as the artist set it, or one frame of a track.
struct ShotKeyframe {
  int frame;
  std::optional<double> tolerance;  // on the RMS distance [m], with effort = "auto" at least by default;
                                    // none: any distance will do
  std::optional<double> velocity_tolerance;  // likewise of velocities [m/s]
  Keyframe goal;
  SourcePosition source;             // of its target
  std::optional<FrameRange> track;   // of the track that it belongs to
  std::optional<FrameRange> window;  // of the frames that it may slide to
  bool is_pose;                      // its target is a shape of the whole cloth
};

// What a keyframe is to be met to where the scene names no tolerance: what the eye forgives, as a share of the
// cloth's size.
inline constexpr double kDefaultTolerance = 0.005;

// Everything that the cloth is to hit. The keyframes refer to the surfaces.
struct ShotTargets {
  std::vector<ShotKeyframe>
      keyframes;  // those of [[keyframe]] and then those of [[track]], in the file's order
  std::vector<std::unique_ptr<TargetSurface>> surfaces;
};

// The [[keyframe]] and [[track]] tables. `start`: the cloth at the first frame [m] (3n), whose nearest points
// on surfaces are the first targets. Throws InputError: a keyframe on the first frame, which no force can
// change; a mesh, a cache, landmarks, a group, weights or velocities that do not fit. Warns of goals that a
// hard pin keeps out of reach.
ShotTargets open_targets(const Scene& scene, const ShotClock& clock, const TriangleMesh& rest,
                         const VecX& start, const std::vector<HardPin>& pins, ShotWarnings& warnings);

// The keyframes as the objective has them after a search: with the targets and the frames that were chosen.
void take_over(const std::vector<Keyframe>& chosen, const ShotClock& clock,
               std::vector<ShotKeyframe>& keyframes);

}  // namespace keydrape
