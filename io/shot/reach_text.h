#pragma once

#include <string>

#include "io/scene/scene.h"
#include "io/shot/doubt/vertex_words.h"
#include "io/shot/shot.h"

// What `Shot::reach` says of its targets, in words.

namespace keydrape {

// "stretch 21.1 % near vertex 3 (group top), 99 % of it within 18 %; squeeze 0.2 %, 99 % of it within 0.1 %;
// warp +20.3 %, weft -3 %, shear 4 degrees": the largest of each, the place of what is beyond the limit.
// Requires figures of some triangles.
std::string strain_in_words(const TriangleMesh& rest, const StrainFigures& strain);

// "0.2 % of its area beyond 5 %": of what the fabric feels of its strain.
std::string area_in_words(const StrainFigures& strain);

// Share of the area beyond the strain that cloth hardly goes beyond, from which on a target is told to be
// strained: what is less is within one sculpted corner.
inline constexpr double kStrainedShare = 0.01;
inline bool is_strained(const TargetReach& reach) { return reach.strain.beyond > kStrainedShare; }

// One line a target, in a table for `--dry-run`: strain, way and the least forces for it, overlap, pins. Of a
// track that of the frame which is strained most.
std::vector<std::string> reach_table(const Shot& shot);

// Warns of what can hardly be reached, or not at all: targets that are strained (is_strained), pulled further
// from each other or from a pin than the cloth is long, too far for their time (kImplausiblePeak; beyond 20 g
// steep) or for max_acceleration, of another size than the cloth or with another axis up, within bodies as
// they are then, through themselves or with layers nearer than the thickness, or where pins hold the cloth
// elsewhere or at another velocity. With the worst place of each.
// Of one that may slide, what is in its way where that is least, with the frame: elsewhere it is more.
// Of a track the first such frame is named. Targets without weight only measure, and are not warned of.
// Throws as refuse_another_size.
void warn_of_reach(const Scene& scene, Shot& shot);

// Length of all edges in a pose over that at the start; positions [m] (3n).
double edge_share(const std::vector<Triangle>& triangles, const VecX& pose, const VecX& start);
// Throws InputError where that is so much or so little that no fabric could be meant. `what`: the message's
// beginning, the pose.
void refuse_another_size(const std::string& what, double edge_share);

}  // namespace keydrape
