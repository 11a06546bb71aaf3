#pragma once

#include "core/cloth/cloth.h"
#include "io/shot/selection.h"
#include "io/shot/shot.h"

namespace keydrape {

// What the scene's files hold, before anything is built of it.
struct ShotParts {
  ShotClock clock;
  TriangleMesh rest;       // [m]
  VecX start;              // positions at the first frame [m] (3n)
  ClothDescription cloth;  // of `rest`
  ShotTargets targets;
  VertexSelection pushed;  // by [control]; pins may hold some of them; empty with forces = false
  ShotWarnings warnings;
};

// build_shot in two halves. Both throw InputError as it does: the first for files that do not fit each other,
// the second for a start within bodies or beyond the strain limit, and for cloth that cannot be built.
ShotParts open_shot(const Scene& scene);
Shot build_shot(const Scene& scene, ShotParts parts);

}  // namespace keydrape
