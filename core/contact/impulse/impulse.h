#pragma once

#include <array>
#include <limits>

#include "core/contact/distance/stencil_distance.h"
#include "core/pass/mobility.h"

namespace keydrape {

// A place at which two things touch: vertices of the cloth and of bodies with the weights of their nearest
// points, or a point of the cloth before a body that is a distance.
struct ImpactPoint {
  std::array<int, 4> vertices{};
  int count = 0;                // of them
  Vec4 weights = Vec4::Zero();  // c: positive for the first thing, negative for the second
  Vec3 normal = Vec3::Zero();   // n, unit, from the second to the first
  Vec3 drift = Vec3::Zero();    // velocity of what has no vertices [m/s]
  double friction = 0.0;        // mu
  double distance = 0.0;        // d at the start of the step [m]
  double thickness = 0.0;       // T, within which they repel each other [m]
  int volume = -1;              // number of the body that is a distance; -1: none

  Vec3 velocity(const VecX& v) const;  // of the first thing as seen from the second [m/s]
  double normal_speed(const VecX& v) const { return normal.dot(velocity(v)); }  // v_n, < 0: they approach
};

// Changes v so that the two part with `speed` (Z2), if they do not yet, by an impulse of at most `most` [N s]
// along the normal, and of friction across it (Z3). Never draws them together. Momentum is kept; with a speed
// of at most -v_n against things at rest the energy of motion does not rise.
void push_apart(const ImpactPoint& point, const Mobility& mobility, double speed, VecX& v,
                double most = std::numeric_limits<double>::infinity());

// At which speed they part that approach under the velocities v: e times that which they met with, and that
// is the lesser of now and at the start of the step (`before`): what rests on a body does not jump.  (Z4)
double parting_speed(const ImpactPoint& point, double restitution, const VecX& v, const VecX& before);

}  // namespace keydrape
