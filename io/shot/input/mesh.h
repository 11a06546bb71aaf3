#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/mesh/mesh.h"
#include "io/scene/scene.h"

namespace keydrape {

// What is doubtful about an input without being wrong, one sentence each.
using ShotWarnings = std::vector<std::string>;

// The rest mesh of the cloth, in metres, of any format that is read and has triangles. Throws InputError as
// read_shot_cache does, and for a mesh that cannot be cloth (find_mesh_defect).
TriangleMesh read_rest_mesh(const Scene& scene, ShotWarnings& warnings);

// The cloth in another pose, in metres (3n): a mesh, or a frame of a cache ("cache.pc2@1030"). `role`:
// "[[keyframe]] mesh", for messages. Throws InputError as read_shot_cache does; for other vertices than the
// rest mesh has, or, if the file holds faces, other triangles.
VecX read_pose(const Scene& scene, const scene::FilePath& file, std::string_view role,
               const TriangleMesh& rest, ShotWarnings& warnings);

// Throws InputError unless a mesh has the rest mesh's vertices and, if it holds faces, its triangles.
void check_same_mesh(const Scene& scene, const scene::FilePath& file, std::string_view role,
                     const TriangleMesh& mesh, const TriangleMesh& rest);

// What is known of a mesh whose size is looked at.
struct SizeDoubt {
  double meters_per_unit = 1.0;                               // of its positions
  bool is_cloth = true;                                       // else it may be a body as well
  std::string_view remedy = "set meters_per_unit in [shot]";  // where the unit is said
};

// A sentence if the extent of a cloth looks like another unit: no cloth, or as a garment, which does not lie
// flat, none that somebody wears.
std::optional<std::string> doubt_about_size(const TriangleMesh& mesh, const SizeDoubt& of = {});

// A sentence if some triangles are far longer than high: how many, and the worst of them. As cloth they
// collapse easily, and bend for nothing where they do (core/decisions/0053-collapsed-triangles.md).
std::optional<std::string> doubt_about_slivers(const TriangleMesh& mesh);

}  // namespace keydrape
