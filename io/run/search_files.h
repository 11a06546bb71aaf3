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
// for each iteration of the shot itself a line of convergence.jsonl, and a checkpoint; of the coarser level
// before it a checkpoint. All functions throw OutputError.
class SearchFiles {
 public:
  // `resumed`: what the search goes on from, or null. All outlive it.
  SearchFiles(const Scene& scene, const Shot& shot, const RunFolder& folder,
              const SceneFingerprint& fingerprint, const std::optional<Checkpoint>& resumed);

  void write_uncontrolled(const Trajectory& run);
  void write_iteration(const SearchIteration& iteration);
  // The first of the shot behind its levels removes theirs.
  void write_checkpoint(const SearchPart& part, const SearchStand& stand);
  // Where an earlier run of this scene left a coarser level. Throws InputError where it is damaged.
  std::optional<SearchCheckpoint> read_level(const SearchPart& part);

  const RunFolder& folder() const { return folder_; }
  // Of the last checkpoint of the shot itself; none: nothing can be resumed from yet.
  const std::optional<int>& checkpointed_iteration() const { return checkpointed_iteration_; }
  // The same of the coarser level that is searched.
  const std::optional<int>& level_iteration() const { return level_iteration_; }
  double seconds() const { return seconds_; }  // wall-clock time spent here

 private:
  const Scene& scene_;
  const Shot& shot_;
  const RunFolder& folder_;
  const SceneFingerprint& fingerprint_;
  JsonLines lines_;  // of convergence.jsonl
  std::optional<int> checkpointed_iteration_, level_iteration_;
  double seconds_ = 0.0;
};

}  // namespace keydrape
