#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "io/cache/frame_range.h"
#include "io/scene/scene.h"
#include "io/scene/shot_clock.h"
#include "io/shot/body/shown_body.h"

// The bodies of a run's record (shot_record.h): what they look like, and where they go. In shot.json stands a
// list of {"kind": "sphere", "center": [..], "radius": ..} and likewise plane (point, normal), capsule
// (start, end, radius), box (min, max), mesh (positions, triangles) and vdb (likewise, on the surface of the
// level set: level_set_surface), lengths in metres. A vdb without triangles is not drawn: in records of
// 2026-11-22 and before, or too thin for as many triangles as a report may have. Each has "motion", which
// says what collider_K.npy holds of body K, counted from 0:
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

// The list as above. `bodies`: one for each [[collider]].
nlohmann::ordered_json colliders_json(const Scene& scene, const std::vector<ShownBody>& bodies);

// The files collider_K.npy. Throws OutputError.
void write_body_motions(const std::vector<ShownBody>& bodies, const ShotClock& clock,
                        const std::filesystem::path& folder);

// Likewise, without files.
std::vector<RecordedBody> recorded_bodies(const Scene& scene, const std::vector<ShownBody>& bodies,
                                          const ShotClock& clock);

// Throws InputError: a file of another shape than shot.json needs, and nlohmann's exceptions for a list
// of another form.
std::vector<RecordedBody> read_bodies(const nlohmann::ordered_json& list, const std::filesystem::path& folder,
                                      const FrameRange& frames);

}  // namespace keydrape
