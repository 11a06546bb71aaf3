#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "control/run/force_schedule.h"
#include "control/run/trajectory.h"
#include "io/shot/shot.h"

namespace keydrape {

// The forces of a run, and where they took the cloth.
class RecordedTake final : public ForceSchedule {
 public:
  // `positions`: at the start and after every time step [m] (3n).
  RecordedTake(std::unique_ptr<ForceSchedule> forces, std::vector<VecX> positions)
      : forces_(std::move(forces)), positions_(std::move(positions)) {}

  void force(int step, VecX& u) const override { forces_->force(step, u); }
  const VecX* taken(int step) const override { return &positions_[step + 1]; }

 private:
  std::unique_ptr<ForceSchedule> forces_;
  std::vector<VecX> positions_;
};

// steps.npy in a folder of results. Throws InputError: there is none, or one that does not fit the shot.
std::vector<VecX> read_take_positions(const Shot& shot, const std::filesystem::path& folder);

// What lies beside a take's forces and belongs to it, as far as it is there: channels.json,
// forces_steps.npy, steps.npy.
std::vector<std::filesystem::path> files_beside_forces(const std::filesystem::path& forces);

// The forces that a take was made with, for one that names forces.npy: where these change within frames
// ([control] hold = "step") it holds their means, and they stand in forces_steps.npy beside it, if its means
// over the frames are those of forces.npy to the bit. Else the file itself. Throws InputError: a
// forces_steps.npy that does not fit the shot.
std::filesystem::path exact_forces(const Shot& shot, const std::filesystem::path& forces);

// How far `run`, of the take's forces by themselves, goes from what is recorded beside them: steps.npy, or
// else positions.npy. A sentence that names the first frame; empty: not noticeably, or nothing is recorded.
std::string departure_from_take(const Scene& scene, const Shot& shot, const Trajectory& run);

// forces_steps.npy or forces.npy in it; empty: the run had none.
std::filesystem::path forces_of_take(const std::filesystem::path& folder);

}  // namespace keydrape
