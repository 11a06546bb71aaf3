#pragma once

#include "core/base/types.h"

namespace keydrape {

// A number of the cloth, or a few, other than positions, by which a step may be differentiated. The numbers
// of a material enter by their logarithm: W is linear in each, so that the derivative of what is linear in
// one of them is that itself.
struct Parameter {
  enum Kind {
    kAir,           // velocity of the air at the end of the step [m/s]
    kStretchScale,  // b_u, b_v (stretch.h)
    kPinEnd,        // where all points of a soft pin are at the end of the step [m]
    kPinStart,      // ... and where they were at its start
    kPinBefore,     // ... and a step before that, where the step knows it
    kLogWarp,       // numbers of the Material (material.h); k_d = damping k goes with its k
    kLogWeft,
    kLogShear,
    kLogBend,
    kLogDamping,
    kLogDensity,  // of what energies weigh, and what follows from it (L5); inertia and weight are no energies
  };

  Kind kind;
  int pin = -1;  // of kPinEnd, kPinStart and kPinBefore: its number in ClothDescription::soft_pins

  int size() const { return kind == kStretchScale ? 2 : kind == kAir || is_pin() ? 3 : 1; }
  bool is_pin() const { return kind == kPinEnd || kind == kPinStart || kind == kPinBefore; }
};

// An element's d2W/dy dp: rows y0x y0y y0z y1x .., a column each number of p. No columns where W does not
// depend on p.
template <int K>
using ParameterDerivative = Eigen::Matrix<double, 3 * K, Eigen::Dynamic, Eigen::ColMajor, 3 * K, 3>;

// Of one column, or of two.
template <int K>
ParameterDerivative<K> columns(const Stencil<K>& g) {
  return g.reshaped();
}
template <int K>
ParameterDerivative<K> columns(const Stencil<K>& g0, const Stencil<K>& g1) {
  ParameterDerivative<K> by(3 * K, 2);
  by << g0.reshaped(), g1.reshaped();
  return by;
}

}  // namespace keydrape
