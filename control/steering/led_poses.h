#pragma once

#include <vector>

#include "control/goal/keyframe.h"
#include "control/run/trajectory.h"
#include "control/unknowns/control_layout.h"
#include "core/cloth/cloth.h"

// Poses for keyframes that want a part of the cloth in places: where the rest comes to lie when that part is
// led there as by hands. Alone it would have to carry what hangs on it, or be torn away from it.

namespace keydrape {

// Which keyframes want some of the vertices that may be pushed, and not nearly all, in places of the shot's
// space, at states at which none wants more.
std::vector<char> that_want_a_part(const std::vector<Keyframe>& keyframes, const ControlLayout& layout);
bool any_wants_a_part(const std::vector<Keyframe>& keyframes, const ControlLayout& layout);

// The shot in which vertices are led.
struct LedShot {
  const Simulator& simulator;
  const State& start;
  const ControlLayout& layout;
  double length;  // l: the cloth's size [m]
};

// The cloth with a hand on each of these vertices, from the shot's start on until the last keyframe that
// wants it: soft pins, together as stiff as carrying all of the cloth takes (control/EQUATIONS.md (G3)).
ClothDescription led_cloth(ClothDescription cloth, const LedShot& shot,
                           const std::vector<Keyframe>& keyframes);

// The keyframes, those that want a part of the cloth as poses of the whole: where the others are in `run`,
// one of led_cloth(). As they were where it has not come to their state.
std::vector<Keyframe> with_led_poses(std::vector<Keyframe> keyframes, const ControlLayout& layout,
                                     const Trajectory& run);

}  // namespace keydrape
