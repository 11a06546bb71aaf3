#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "control/trajectory.h"
#include "io/shot.h"

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

// forces_steps.npy or forces.npy in it; empty: the run had none.
std::filesystem::path forces_of_take(const std::filesystem::path& folder);

}  // namespace keydrape
