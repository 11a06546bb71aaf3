#pragma once

#include <optional>

#include "control/search/options.h"
#include "core/mesh/coarse_mesh.h"

namespace keydrape {

// A coarser version of a task: about a quarter of the vertices, half the steps of an interval, or both. Everything else
// is the same: bodies, wind, materials and times. Pins, targets, regions and painted weights are those of the vertices
// that are left.
struct CoarserTask {
  Task task;
  VertexEmbedding embedding;  // of the finer vertices
};
// None: nothing is left to be made coarser. Requires a task without channels and without a take.
std::optional<CoarserTask> coarsened(const Task& fine, const Coarsening& coarsening);

}  // namespace keydrape
