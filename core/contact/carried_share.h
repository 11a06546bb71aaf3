#pragma once

#include <algorithm>

namespace keydrape {

// Cloth that is this many travels of a body beyond where contact with it begins starts the step where it is;
// nearer cloth goes with the body, that nearer than the first number all the way. (B2), (B13)
inline constexpr double kCarriedTravels = 1.5, kLeftTravels = 3.0;

// The share of the body's motion, in [0, 1]. `gap`: to where contact with it begins, < 0 within [m];
// `travel`: how far it moves [m], > 0.
inline double share_carried(double gap, double travel) {
  return std::clamp((kLeftTravels * travel - gap) / ((kLeftTravels - kCarriedTravels) * travel), 0.0, 1.0);
}

}  // namespace keydrape
