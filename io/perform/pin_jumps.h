#pragma once

#include <string>
#include <vector>

#include "control/run/trajectory.h"
#include "io/scene/scene.h"
#include "io/shot/shot.h"

namespace keydrape {

// A hard pin that takes hold within the shot, and of its vertices the one that it brings farthest at once.
struct PinJump {
  SourcePosition pin;
  int vertex = 0;
  int frame = 0;          // in which the pin begins
  double distance = 0.0;  // from where the cloth would have gone in that step [m]
};

// Of the pins of the scene, in its order, those that bring cloth farther than it could have gone by itself:
// where it is when a pin takes hold is not known before the run. A run that ends before then has none.
std::vector<PinJump> find_pin_jumps(const Scene& scene, const Shot& shot, const Trajectory& trajectory);

std::string pin_jump_warning(const Shot& shot, const PinJump& jump);

}  // namespace keydrape
