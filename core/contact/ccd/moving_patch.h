#pragma once

#include "core/base/types.h"

namespace keydrape {

// The vectors from the points of one feature to those of the other fill a flat patch: a triangle for
// vertex-face (K = 3), a parallelogram for edge-edge (K = 4). Its corners g, in order round it, move
// linearly; the distance of the two features is that of the patch from the origin (G9).
template <int K>
struct MovingPatch {
  Stencil<K> start;  // [m]
  Stencil<K> end;    // [m]

  Stencil<K> at(double t) const { return (1 - t) * start + t * end; }
  Stencil<K> velocity() const { return end - start; }
  // Largest distance of a corner from the origin, at any time [m].
  double size() const;
};

// A direction n and how far it keeps the patch away from the origin.
struct Witness {
  Vec3 direction = Vec3::Zero();  // unit; zero: none was found
  double margin = 0;  // min over the corners of n . g at the time asked for [m], <= distance (G10)
};

struct Separation {
  Witness nearest;   // of the largest margin: the distance itself, but for rounding
  double reach = 0;  // until then some direction, at rest or turning, is proven to keep every corner at
                     // `limit` or further (G11); may exceed 1; 0: none does so at the time asked for
};

// Tries the directions that the patch suggests at time t: its normal, and from the origin to the nearest
// point of each side, both at rest and turning with the patch. A bad direction has a small margin, no more:
// nothing has to be decided about degenerate patches.
template <int K>
Separation find_separation(const MovingPatch<K>& patch, double t, double limit);

extern template struct MovingPatch<3>;
extern template struct MovingPatch<4>;
extern template Separation find_separation(const MovingPatch<3>&, double, double);
extern template Separation find_separation(const MovingPatch<4>&, double, double);

}  // namespace keydrape
