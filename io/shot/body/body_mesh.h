#pragma once

#include "core/mesh/mesh.h"
#include "io/scene/scene.h"
#include "io/shot/input/mesh.h"

namespace keydrape {

// The triangles of [[collider]] mesh, in metres and the scene's axes: a file of any format that is read and
// has triangles, or a frame of such a sequence or cache ("body.####.ply@1001"). Requires a collider that is
// a mesh. Throws InputError as read_shot_cache does, and for a file without triangles.
TriangleMesh read_body_mesh(const Scene& scene, const scene::Collider& collider, ShotWarnings& warnings);

}  // namespace keydrape
