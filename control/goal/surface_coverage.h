#pragma once

#include <optional>

#include "control/goal/keyframe.h"
#include "core/mesh/mesh.h"

namespace keydrape {

// How much of a keyframe's surface the cloth lies on. That every vertex is on the surface (K3), its border on
// that of the surface too (K9), says little of the surface's points: crumpled cloth has no miss.
struct SurfaceCoverage {
  double bare = 0.0;          // share of the surface's area that is farther than `within` from the cloth
  double spare = 0.0;         // share of it that cloth of this area cannot lie on
  double within = 0.0;        // [m]
  double farthest = 0.0;      // of the surface's points from the cloth [m]
  Vec3 place = Vec3::Zero();  // that point [m]

  // Of cloth that is so far off the surface in the mean [m]: whether it lies there, and leaves more bare than
  // it could not help, by so much that an artist sees it.
  bool is_left_bare(double miss) const { return miss <= within && bare > spare + 0.1; }
};

// Of cloth at x [m] (3n): of its triangles whose vertices all have weight. `rest`: their areas. Points alone
// count by their number, and nothing of them is spare. `within`: at least this far counts as covered [m], but
// never less than an edge of the cloth in the mean. None where no triangle has weight: single vertices cover
// nothing. Requires a surface.
std::optional<SurfaceCoverage> surface_coverage(const Keyframe& keyframe, const TriangleMesh& rest,
                                                const VecX& x, double within);

}  // namespace keydrape
