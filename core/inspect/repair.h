#pragma once

#include "core/cloth/cloth.h"

namespace keydrape {

struct RepairOptions {
  double time = 0.0;  // at which pins hold and bodies stand [s]
  int max_passes = 600;
  int max_steps = 120;  // of untangle.h, where passes do not get the cloth out of itself
};

struct RepairResult {
  VecX x;                 // positions [m] (3n); those of the last pass where not clean
  bool is_clean = false;  // no overlap of core/inspect/overlap.h is left
  // Not tried: a body that collides as triangles cuts through, or the rest mesh is as near.
  bool is_beyond = false;
  // Not clean, but nothing of the cloth goes through itself or lies in a body any more: layers are too near.
  bool is_apart = false;
  int passes = 0, steps = 0;
  int farthest_vertex = -1;   // the one that was moved most; -1: none was
  double displacement = 0.0;  // by how much [m]
};

// Moves cloth that starts within bodies, too near to them, through itself or with layers nearer than its
// thickness to where it does not (core/contact/EQUATIONS.md (R1) to (R4)). Vertices that pins hold then
// stay. Shapes that are tangled by more than a few edges' lengths may stay tangled: the
// result says so.
RepairResult repair_start(const ClothDescription& cloth, const VecX& x, const RepairOptions& options = {});

}  // namespace keydrape
