#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/keyframe.h"
#include "io/run_folder.h"

namespace keydrape {

// The best point of a search, and what the run before it would otherwise have to do again.
struct Checkpoint {
  VecX z;
  std::string fingerprint;  // of the scene
  int iteration = 0;
  int forward_simulations = 0;
  int cg_iterations = 0;
  double time_s = 0.0;
  std::vector<KeyframeMiss> uncontrolled;  // one a keyframe [m]
  std::vector<double> weight_factors;      // of the objective, one a keyframe
};

// checkpoint.npy, then checkpoint.json, each whole or not at all. Throws OutputError.
void write_checkpoint(const RunFolder& folder, const Checkpoint& checkpoint);

// Requires the fingerprint and the sizes of the problem at hand. Throws InputError: no checkpoint, a damaged
// one, or one of another scene.
Checkpoint read_checkpoint(const RunFolder& folder, const std::string& fingerprint, int size,
                           int keyframe_count);

// What convergence.jsonl holds up to the checkpoint's iteration, to go on from; nothing without a checkpoint.
std::string earlier_convergence_lines(const RunFolder& folder, const std::optional<Checkpoint>& checkpoint);

}  // namespace keydrape
