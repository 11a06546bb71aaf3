#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/types.h"
#include "io/body_motion.h"
#include "io/frame_range.h"
#include "io/scene.h"
#include "io/shot_clock.h"

// The bodies of a run's record (shot_record.h): what they look like, and where they go. In shot.json stands a
// list of {"kind": "sphere", "center": [..], "radius": ..} and likewise plane (point, normal), capsule
// (start, end, radius), box (min, max) and mesh (positions, triangles), lengths in metres. A level set has no
// shape that could be listed: {"kind": "vdb"}. Each has "motion", which says what collider_K.npy holds of
// body K, counted from 0:
//
//   "none"       the body stands where its shape says; there is no such file (likewise in records of
//                2026-11-21 and before, which have no "motion")
//   "rigid"      (F, 7)     pose in each frame: rotation as a unit quaternion x y z w, then translation [m];
//                           a body that rests elsewhere has F = 1
//   "deforming"  (F, m, 3)  positions of a mesh in each frame [m]

namespace keydrape {

struct RecordedBody {
  std::string shape;            // a JSON object as above
  std::vector<VecX> poses;      // of a rigid body, (7) each, one a frame of the shot or only one; else empty
  std::vector<VecX> positions;  // of a deforming body, (3m) each, one a frame of the shot; else empty
};

// The list as above. Throws InputError for a mesh that cannot be read.
nlohmann::ordered_json colliders_json(const Scene& scene, const std::vector<BodyMotion>& bodies);

// The files collider_K.npy. Throws OutputError.
void write_body_motions(const std::vector<BodyMotion>& bodies, const ShotClock& clock,
                        const std::filesystem::path& folder);

// Throws InputError: a file of another shape than shot.json needs, and nlohmann's exceptions for a list of
// another form.
std::vector<RecordedBody> read_bodies(const nlohmann::json& list, const std::filesystem::path& folder,
                                      const FrameRange& frames);

}  // namespace keydrape
