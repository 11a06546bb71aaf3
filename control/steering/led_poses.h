#pragma once

#include <vector>

#include "control/goal/keyframe.h"
#include "control/run/trajectory.h"
#include "control/unknowns/control_layout.h"
#include "core/cloth/cloth.h"

// Poses for keyframes that want few vertices in places: where the cloth comes to lie when these are led there
// as by hands. Alone they would have to carry all that hangs on them, and nobody says where the rest is.

namespace keydrape {

// Whether so many vertices of all are few: they neither move the cloth nor tell how the rest of it lies.
inline bool are_few(Eigen::Index count, Eigen::Index all) { return 20 * count <= all; }

// Which keyframes want few of the vertices that may be pushed, but some, in places of the shot's space, at
// states at which none wants more.
std::vector<char> that_want_few(const std::vector<Keyframe>& keyframes, const ControlLayout& layout);
bool any_wants_few(const std::vector<Keyframe>& keyframes, const ControlLayout& layout);

// The shot in which vertices are led.
struct LedShot {
  const Simulator& simulator;
  const State& start;
  const ControlLayout& layout;
  double length;  // l: the cloth's size [m]
};

// The cloth with a hand on each of these vertices, from the shot's start on until the last keyframe that
// wants it: soft pins as stiff as carrying all of the cloth takes (control/EQUATIONS.md (G3)).
ClothDescription led_cloth(ClothDescription cloth, const LedShot& shot,
                           const std::vector<Keyframe>& keyframes);

// The keyframes, those that want few vertices as poses of the whole cloth: where the others are in `run`, one
// of led_cloth(). As they were where it has not come to their state.
std::vector<Keyframe> with_led_poses(std::vector<Keyframe> keyframes, const ControlLayout& layout,
                                     const Trajectory& run);

}  // namespace keydrape
