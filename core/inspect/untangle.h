#pragma once

#include "core/cloth/cloth.h"

namespace keydrape {

struct UntangleOptions {
  double time = 0.0;  // at which pins hold and bodies stand [s]
  int max_steps = 120;
};

struct UntangleResult {
  VecX x;                    // positions [m] (3n)
  ExemptionsPointer exempt;  // what is left of it: pairs that are too near, or parts that still cross
  bool is_apart = false;     // nothing goes through anything, and no vertex is too far from where it was
  int steps = 0;
};

// Draws cloth that goes through itself apart, along what shortens the curves in which it does (R4): in
// implicit steps that start at rest, in which it is as stiff as it is, but easily bent, unstrained as it lies
// at x, held by the pins of that time and kept out of bodies, while what has come apart collides. So nothing
// new ever crosses. Not where a triangle has no area at x. Requires cloth that collides with itself, and no
// body in it or too near.
UntangleResult untangle(const ClothDescription& cloth, const VecX& x, const UntangleOptions& options = {});

}  // namespace keydrape
