#pragma once

#include <string>
#include <vector>

#include "core/mesh/coarse_mesh.h"
#include "io/shot/shot.h"

namespace keydrape {

// A coarser version of a shot: about a quarter of the vertices, half the time steps of a frame, or both, as
// [control] coarse_to_fine asks. Everything else is the same: bodies, wind, materials and times. Pins,
// keyframes, regions and painted weights are those of the vertices that are left.
struct CoarseLevel {
  Shot shot;
  VertexEmbedding embedding;  // of the vertices of the next finer level
};

// The levels below the shot, the finest first, `coarse_levels` of them, or fewer.
struct CoarseLevels {
  std::vector<CoarseLevel> levels;
  std::string obstacle;  // why there are fewer, in words; empty: there are not fewer
};
// Requires coarse_to_fine, and a scene that a shot was built of. Throws InputError where a file has changed
// since.
CoarseLevels open_coarse_levels(const Scene& scene);

}  // namespace keydrape
