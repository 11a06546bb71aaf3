#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/cache/up_axis.h"
#include "io/templates/scene_template.h"

namespace keydrape {

// What a mesh's file does not say itself; absent: Y and 1.
struct OwnMeshSpace {
  std::optional<UpAxis> up_axis{};
  std::optional<double> meters_per_unit{};
};

// A shot around somebody's own mesh, of any format that is read: rest.obj with a group for each of its edges,
// edge1 (the highest in the mean), edge2, ..., and upper_edge (what lies at the top of an edge); one of them
// pinned, so that it simulates as it is; a keyframe as comments, to be filled in. Groups of the mesh are
// kept: an edge whose name one of them has gets edge1_2. `warnings` gains what is doubtful about the mesh.
// Throws InputError: as read_cache; for a `space` that the file contradicts, for points without triangles,
// and for a mesh that cannot be cloth.
SceneTemplate own_mesh_template(const std::filesystem::path& path, const OwnMeshSpace& space,
                                std::vector<std::string>& warnings);

}  // namespace keydrape
