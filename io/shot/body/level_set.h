#pragma once

#include "core/cloth/cloth.h"
#include "core/contact/body/level_set/mesh_level_set.h"
#include "io/scene/scene.h"
#include "io/scene/shot_clock.h"

namespace keydrape {

// How far from a body its distance has to be smooth: contact, and room beyond it [m].
inline double band_of(const ContactLaw& law) { return 2 * law.barrier.range(); }

// The grid of a [[collider]] mesh that is a volume: the scene's voxel, or usual_voxel().
// Throws InputError: a body without size, a voxel larger than it, or so small that no memory holds the grid.
LevelSetOptions level_set_options(const scene::Collider& collider, const TriangleMesh& body,
                                  const ContactLaw& law);

// A closed mesh that deforms. Throws InputError where a frame would need so large a grid that every step took
// minutes, naming it. Its errors later on say which body it was, and when.
std::shared_ptr<const Collider> make_deforming_body(const scene::Collider& collider, const ShotClock& clock,
                                                    const TriangleMesh& body, MotionTrack motion,
                                                    const LevelSetOptions& options);

// How far the level set of a body stands out from its mesh at the first frame, where that is thin or sharp
// against the voxel: a sentence, and what to do. Empty where cloth does not show it: less than its thickness,
// or than a quarter of its mean edge. What parts of the mesh cover of one another does not count. `x`: of the
// mesh's vertices at the first frame [m] (3m), in the frame of a rigid body.
std::string describe_stand_out(const Collider& body, const TriangleMesh& mesh, const VecX& x, double voxel,
                               const ClothDescription& cloth);

// Why a body is likely in another unit than the cloth: a sentence. Empty where it is no smaller than a mean
// edge of the cloth.
std::string describe_tiny_body(const TriangleMesh& mesh, const ClothDescription& cloth);

}  // namespace keydrape
