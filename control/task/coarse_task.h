#pragma once

#include <optional>

#include "control/task/task.h"
#include "core/mesh/coarse_mesh.h"

namespace keydrape {

// What is made coarser from one level of a search to the next.
struct Coarsening {
  int levels = 0;     // 0: none
  bool mesh = false;  // a quarter of the vertices
  bool step = false;  // half the steps of an interval
};

// A coarser version of a task: about a quarter of the vertices, half the steps of an interval, or both.
// Everything else is the same: bodies, wind, materials and times. Pins, targets, regions and painted weights
// are those of the vertices that are left.
struct CoarserTask {
  Task task;
  VertexEmbedding embedding;  // of the finer vertices
};
// None: nothing is left to be made coarser. Requires a task without channels and without a take, that begins
// where its run does.
std::optional<CoarserTask> coarsened(const Task& fine, const Coarsening& coarsening);

// What the coarser cloth would have to give up of its lengths to take its targets' places, as they wrinkle
// between its vertices: the RMS strain of its edges there, less that of the finer cloth's; of the target
// where it is largest. Strains are against the mesh. 0 where no target has places for vertices.
double lost_length(const Task& fine, const Task& coarser);

}  // namespace keydrape
