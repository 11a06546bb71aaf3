#pragma once

#include <filesystem>
#include <string_view>

#include "control/run/force_schedule.h"
#include "io/scene/shot_clock.h"

namespace keydrape {

// Forces read from forces.npy or forces_steps.npy.
class RecordedForces final : public ForceSchedule {
 public:
  // Throws InputError unless the array fits a cloth of so many vertices in the shot's time: (frames, n, 3) or
  // (steps, n, 3).
  RecordedForces(const std::filesystem::path& path, const ShotClock& clock, int vertex_count);
  void force(int step, VecX& u) const override;

 private:
  VecX values_;
  int steps_in_entry_;
};

// Throws InputError, beginning with `where`, for a file of positions that was taken for forces: its first
// entry is the cloth at the first frame. start: positions [m] (3n).
void refuse_positions(const RecordedForces& forces, const VecX& start, std::string_view where);

// The mean force on each vertex over the frame interval that starts at frame `f` (counted from the first);
// zero for the last frame. [N] (3n)
VecX mean_force(const ForceSchedule& forces, const ShotClock& clock, int vertex_count, int f);

// The forces that a take was made with, for one that names forces.npy: where these change within frames
// ([control] hold = "step") it holds their means, and they stand in forces_steps.npy beside it, if its means
// over the frames are those of forces.npy to the bit. Else the file itself. Throws InputError: a
// forces_steps.npy that does not fit the shot.
std::filesystem::path exact_forces(const std::filesystem::path& forces, const ShotClock& clock,
                                   int vertex_count);

}  // namespace keydrape
