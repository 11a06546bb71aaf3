#pragma once

#include <optional>
#include <vector>

#include "control/task/task.h"
#include "io/scene/scene.h"
#include "io/scene/shot_clock.h"
#include "io/shot/input/mesh.h"

namespace keydrape {

// A target as the artist set it, or one frame of a track.
struct ShotKeyframe : Target {
  int frame = 0;
  SourcePosition source{};             // of its target
  std::optional<FrameRange> track{};   // of the track that it belongs to
  std::optional<FrameRange> window{};  // of the frames that it may slide to
  bool is_pose = false;                // its target is a shape of the whole cloth
  bool is_landmarks = false;           // its target names single vertices
};

// The cloth that keyframes are for. All outlive the call.
struct PosedCloth {
  const TriangleMesh& rest;
  // At the first frame [m] (3n); its nearest points on surfaces are the first targets.
  const VecX& start;
};

// The [[keyframe]] and [[track]] tables. Throws InputError: a keyframe on the first frame, which no force can
// change; a mesh, a cache, landmarks, a group, weights or velocities that do not fit; a tolerance larger than
// the cloth. What can hardly be reached: warn_of_reach (reach_text.h).
std::vector<ShotKeyframe> read_keyframes(const Scene& scene, const ShotClock& clock, const PosedCloth& cloth,
                                         ShotWarnings& warnings);

}  // namespace keydrape
