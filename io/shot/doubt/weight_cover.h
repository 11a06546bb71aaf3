#pragma once

#include <string>
#include <vector>

#include "io/scene/scene.h"
#include "io/shot/input/mesh.h"

namespace keydrape {

// What the scene's files of weights cover: a line each, "hem.txt for the [[keyframe]] of line 96: 40 of 681
// vertices have weight, the others none". Warns of files that are likely of another mesh: lists that name the
// first so many vertices without a gap and not the rest, unless these are parts of the mesh or a group; and
// weights most of which are at inner vertices none of whose neighbours has any. Throws as
// read_vertex_weights does.
std::vector<std::string> weight_cover(const Scene& scene, const TriangleMesh& rest, ShotWarnings& warnings);

}  // namespace keydrape
