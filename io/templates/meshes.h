#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/mesh/mesh.h"

namespace keydrape {

// File name -> mesh. Those of the templates are in metres, Y up.
using NamedMeshes = std::vector<std::pair<std::string, TriangleMesh>>;

// rest.obj and key.1024.obj of each template. The keyframes are bent, turned or leant, not stretched
// but where said.
NamedMeshes flag_meshes();   // group hoist: the edge at the pole
NamedMeshes skirt_meshes();  // groups waist, hem; the keyframe leans sideways and is meant for the hem alone
NamedMeshes cape_meshes();   // group collar: the upper edge, behind the shoulders

}  // namespace keydrape
