#pragma once

#include <filesystem>
#include <vector>

#include "io/shot.h"

namespace keydrape {

// What a run left behind to be repeated from (control/replay.h).
struct RecordedTake {
  std::filesystem::path forces;  // forces_steps.npy, or forces.npy; empty: the run had none
  std::vector<VecX> positions;   // steps.npy: at the start and after every time step [m] (3n)
};

// The take in a folder of results. Throws InputError: no steps.npy, or one that does not fit the shot.
RecordedTake read_take(const Shot& shot, const std::filesystem::path& folder);

}  // namespace keydrape
