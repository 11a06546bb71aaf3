#pragma once

#include <vector>

#include "control/run/force_schedule.h"
#include "control/run/trajectory.h"
#include "io/shot/shot.h"

namespace keydrape {

// The frame ranges that [control] asks to be solved one after the other: one of `window`, those of `windows`,
// each as long as it says and beginning `overlap` frames before the end of the one before, or none: the whole
// shot at once.
std::vector<FrameRange> control_windows(const scene::Control& control, const FrameRange& shot);

// Forces from a later step on.
class LaterForces final : public ForceSchedule {
 public:
  // `forces` outlives this.
  LaterForces(const ForceSchedule& forces, int first_step) : forces_(forces), first_step_(first_step) {}
  void force(int step, VecX& u) const override { forces_.force(first_step_ + step, u); }
  const VecX* taken(int step) const override { return forces_.taken(first_step_ + step); }

 private:
  const ForceSchedule& forces_;
  int first_step_;
};

// Where keyframe k of the shot, which may slide, was met among the states up to `last`: the nearest of those
// that are within what the search aims at (aimed_tolerances). None: it was not met there, or does not slide.
std::optional<KeyframeMiss> met_until(const Shot& shot, std::size_t k, const StateSource& states, int last);

// A part of a shot as a shot of its own (control/README.md, equations (W1) and (W2)): from where `before`, a
// run from the shot's first frame to the part's, has come, with the keyframes after that; but those that may
// slide and were met on the way. Smooth terms and effort weigh as much in a block as in the
// whole shot; the forces of the shot's base go on. It refers to parts of the whole, which outlives it.
struct ShotWindow {
  Shot shot;
  int first_step;   // of the whole shot
  int first_block;  // of the whole shot's layout
};
ShotWindow open_window(const Scene& scene, const Shot& whole, const FrameRange& range,
                       const Trajectory& before);

// The unknowns of the window that stand for the same forces as those of the whole shot, and the other way
// round: into z, of which the rest stays.  (W2)
VecX window_unknowns(const Shot& whole, const ShotWindow& window, const VecX& z);
void put_window_unknowns(const Shot& whole, const ShotWindow& window, const VecX& z_window, VecX& z);

}  // namespace keydrape
