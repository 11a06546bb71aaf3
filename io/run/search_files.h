#pragma once

#include <optional>
#include <string>

#include "control/search/observer.h"
#include "io/file/json_lines.h"
#include "io/run/checkpoint.h"
#include "io/run/run_folder.h"
#include "io/run/scene_fingerprint.h"
#include "io/scene/scene.h"
#include "io/shot/shot.h"

namespace keydrape {

// What a search leaves behind while it goes on: uncontrolled.pc2 as soon as the run without forces is known,
// for each iteration of the shot itself a line of convergence.jsonl, and a checkpoint. Coarser levels leave
// nothing. All functions throw OutputError.
class SearchFiles {
 public:
  // `resumed`: what the search goes on from, or null. All outlive it.
  SearchFiles(const Scene& scene, const Shot& shot, const RunFolder& folder,
              const SceneFingerprint& fingerprint, const std::optional<Checkpoint>& resumed);

  void write_uncontrolled(const Trajectory& run);
  void write_iteration(const SearchIteration& iteration);
  void write_checkpoint(const SearchState& state, const RunView& at, const RunView* best);

  const RunFolder& folder() const { return folder_; }
  // Of the last checkpoint; none: nothing can be resumed from yet.
  const std::optional<int>& checkpointed_iteration() const { return checkpointed_iteration_; }
  double seconds() const { return seconds_; }  // wall-clock time spent here

 private:
  const Scene& scene_;
  const Shot& shot_;
  const RunFolder& folder_;
  const SceneFingerprint& fingerprint_;
  JsonLines lines_;  // of convergence.jsonl
  std::optional<int> checkpointed_iteration_;
  double seconds_ = 0.0;
};

}  // namespace keydrape
