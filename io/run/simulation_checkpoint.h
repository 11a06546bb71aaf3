#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "io/run/run_folder.h"
#include "io/run/scene_fingerprint.h"
#include "io/shot/shot.h"

namespace keydrape {

// In the fingerprint of a draft, which is gone on with as a draft alone.
inline constexpr const char* kDraftOption = "--draft";

// Where a simulation stands, on the disk, so that `simulate --resume` gives the bits of a run that
// was never broken:
//
//   simulation.json            what the run depends on
//   simulation/part_0001.npy   (steps, ..): of each step behind the part before, the positions at its end
//                              [m] (3n), the velocities [m/s] (3n) where they do not follow from positions
//                              (Simulator::ends_as_it_moved), and how it went
//
// Parts appear whole, one after the other, and end where a rollout has a clear start
// (kStepsBetweenClearStarts): a kill at any moment leaves a run that can be continued.
class SimulationCheckpoint {
 public:
  // Of a run that depends on `run`. `folder` outlives it.
  SimulationCheckpoint(const RunFolder& folder, SceneFingerprint run)
      : folder_(folder), run_(std::move(run)) {}

  // "cloth.rest was ..": in what this run differs from the one that the folder has steps of; empty: in
  // nothing. Throws InputError: damaged.
  std::vector<std::string> differences() const;
  // Appends the steps that the folder has to a trajectory of the shot's start alone. Requires a folder that
  // has them, of this run. Throws InputError: damaged.
  void read(const Shot& shot, Trajectory& trajectory);
  // Adds what steps the folder has not got yet, up to the last clear start. Throws OutputError.
  void write(const Shot& shot, const Trajectory& trajectory);
  // Once the run is done.
  void remove() const;

  std::filesystem::path folder() const { return folder_ / kSimulationFolder; }
  int step_count() const { return step_count_; }  // that were read or written

 private:
  std::filesystem::path part(int k) const;

  const RunFolder& folder_;
  SceneFingerprint run_;
  int part_count_ = 0;
  int step_count_ = 0;
};

// Whether the simulation that a folder's checkpoint is of was a draft. Damaged checkpoints are none.
bool is_draft_checkpoint(const std::filesystem::path& folder);

}  // namespace keydrape
