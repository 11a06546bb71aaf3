#pragma once

#include <memory>
#include <vector>

#include "control/goal/target_surface.h"
#include "io/scene/scene.h"
#include "io/shot/input/mesh.h"

// The files of targets that are no single pose.

namespace keydrape {

// The cloth in every frame of `range`, in metres, (3n) each. Caches that do not number their frames begin at
// the shot's first frame. Throws InputError as read_pose, and for frames that are not there.
std::vector<VecX> read_track(const Scene& scene, const scene::FilePath& file, const FrameRange& shot,
                             const FrameRange& range, const TriangleMesh& rest, ShotWarnings& warnings);

// A mesh or points of another topology, as read_shot_cache reads them. `max_angle` [rad]. Throws
// InputError: no points.
std::shared_ptr<const TargetSurface> read_surface(const Scene& scene, const scene::FilePath& file,
                                                  const TriangleMesh& rest, double max_angle,
                                                  ShotWarnings& warnings);

// Landmarks [m], of a list or a text file with a line "vertex x y z" for each, in the unit of the meshes.
// Throws InputError: a line of another form, a vertex that the cloth does not have, one twice, none at all.
std::vector<scene::Landmark> read_landmarks(
    const Scene& scene, const Sourced<std::variant<std::vector<scene::Landmark>, scene::FilePath>>& landmarks,
    int vertex_count);

}  // namespace keydrape
