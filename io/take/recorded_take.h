#pragma once

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "control/run/force_schedule.h"
#include "io/scene/shot_clock.h"

namespace keydrape {

// The forces of a run, and where they took the cloth.
class RecordedTake final : public ForceSchedule {
 public:
  // `positions`: at the start and after every time step [m] (3n).
  RecordedTake(std::unique_ptr<ForceSchedule> forces, std::vector<VecX> positions)
      : forces_(std::move(forces)), positions_(std::move(positions)) {}

  void force(int step, VecX& u) const override { forces_->force(step, u); }
  const VecX* recorded_end(int step) const override { return &positions_[step + 1]; }

 private:
  std::unique_ptr<ForceSchedule> forces_;
  std::vector<VecX> positions_;
};

// steps.npy in a folder of results. Throws InputError: there is none, or one that does not fit the shot's
// time and a cloth of so many vertices.
std::vector<VecX> read_take_positions(const std::filesystem::path& folder, const ShotClock& clock,
                                      int vertex_count);

}  // namespace keydrape
