#pragma once

#include "core/base/rigid_motion.h"
#include "core/constraint/motion_track.h"
#include "io/scene/scene.h"
#include "io/scene/shot_clock.h"
#include "io/shot/input/mesh.h"

namespace keydrape {

// Of the vertices that triangles speak of; others of a file are no part of a body.
BoundingBox bounding_box(const TriangleMesh& mesh);

// translate, rotate and pivot. Keys on every frame between the scene's own, and more where it
// turns fast: angles run evenly between those of the scene, however far they turn. `middle`: the pivot where
// the scene has none [m]. `source`, `table`: whose they are. Throws InputError for turns beyond any use.
RigidMotion make_rigid_motion(const scene::Placement& placement, const SourcePosition& source,
                              std::string_view table, const ShotClock& clock, const Vec3& middle);
RigidMotion make_rigid_motion(const scene::Collider& collider, const ShotClock& clock, const Vec3& middle);

// [[collider]] motion, of every vertex of the mesh. Warns where the body is of another size by far than the
// mesh, and throws InputError as read_motion does, or for a position that is not finite, naming the frame.
MotionTrack read_body_motion(const Scene& scene, const scene::Collider& collider, const ShotClock& clock,
                             const TriangleMesh& mesh, ShotWarnings& warnings);

}  // namespace keydrape
