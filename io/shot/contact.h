#pragma once

#include <vector>

#include "core/cloth/cloth.h"
#include "core/contact/points/colliding_cloth.h"
#include "io/scene/scene.h"
#include "io/scene/shot_clock.h"
#include "io/shot/body/shown_body.h"
#include "io/shot/input/mesh.h"

namespace keydrape {

// Of the cloth, for one body: 20 million take 1.3 GB, and a step asks each of them for its distance.
inline constexpr double kMostPoints = 2e7;
// Spacing of them at which flat triangles sink into a ball of this radius [m] by less than the gap (S12).
double spacing_on_ball(double radius, const ContactLaw& law);

// Throws InputError: the table of the collider, and what is wrong with it.
[[noreturn]] void refuse_collider(const scene::Collider& collider, const std::string& what);

// Opens the bodies of [[collider]] and what [contact] says into `cloth`, whose mesh, material and pins are
// set. Meshes and .vdb files are in the scene's unit, all lengths of the scene file in metres; meshes that
// say their unit and axes (.usda) are taken by their word. Throws
// InputError: a file that cannot be read, an open mesh as a volume, a cache of another number of points or
// too few frames.
void read_contact(const Scene& scene, const ShotClock& clock, ClothDescription& cloth,
                  ShotWarnings& warnings);

// Whether bodies keep out points between the vertices, too: methods that move vertices alone do not.
bool keeps_points_out(const Scene& scene);

// The bodies of [[collider]] for the record of a run, in the scene's order; closed forms stand in the scene.
// `bodies`: those that read_contact has made. Throws InputError as read_contact does for meshes and caches.
std::vector<ShownBody> read_shown_bodies(const Scene& scene, const ShotClock& clock,
                                         const std::vector<VolumeBody>& bodies);

// One of them as it is seen, by its number.
ShownBody read_shown_body(const Scene& scene, const ShotClock& clock, int number,
                          const std::vector<VolumeBody>& bodies);

}  // namespace keydrape
