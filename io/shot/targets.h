#pragma once

#include <memory>
#include <vector>

#include "control/goal/target_surface.h"
#include "io/scene/scene.h"
#include "io/shot/input/mesh.h"

// The files of targets that are no single pose.

namespace keydrape {

// The cloth in every frame of a track.
struct TrackPoses {
  FrameRange frames;        // of the table; all of the shot's where it names none
  std::vector<VecX> poses;  // one a frame [m] (3n)
};
// `shot`: its frames; caches that do not number their own begin at the first. Throws InputError as read_pose,
// and for frames that are not there.
TrackPoses read_track(const Scene& scene, const scene::Track& track, const FrameRange& shot,
                      const TriangleMesh& rest, ShotWarnings& warnings);

// The frames of a track that count: by its `every`, and not the shot's first, which no force can change.
std::vector<int> counted_frames(const scene::Track& track, const FrameRange& shot);

// A mesh or points of another topology, as read_shot_cache reads them. `max_angle` [rad]. Throws
// InputError: no points.
std::shared_ptr<const TargetSurface> read_surface(const Scene& scene, const scene::FilePath& file,
                                                  const TriangleMesh& rest, const VecX& weight,
                                                  double max_angle, ShotWarnings& warnings);

// Landmarks [m], of a list or a text file with a line "vertex x y z" for each, in the unit of the meshes.
// Throws InputError: a line of another form, a vertex that the cloth does not have, one twice, none at all.
std::vector<scene::Landmark> read_landmarks(
    const Scene& scene, const Sourced<std::variant<std::vector<scene::Landmark>, scene::FilePath>>& landmarks,
    int vertex_count);

}  // namespace keydrape
