#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/goal/objective.h"
#include "control/optimize/progress.h"
#include "control/shooting/shooting_problem.h"
#include "control/search/closest_misses.h"
#include "io/run/level_outcome.h"
#include "io/run/run_folder.h"
#include "io/run/scene_fingerprint.h"
#include "io/shot/shot.h"

// Where a search stands, on the disk: everything that its continuation depends on, so that `solve --resume`
// gives the bits of a run that was never broken.
//
//   checkpoint.json                    the scene's fingerprint, counters, weights, and which file the values
//   are in checkpoint_a.npy | checkpoint_b.npy    (count) float64: runs and vectors one after the other
//
// The two take turns: a new checkpoint fills the file that the old one does not use, checkpoint.json then
// changes from one to the other, whole, and the old file goes. A kill at any moment leaves one that loads.

namespace keydrape {

// A run of the search: its unknowns and what they led to. Every step converged, unless it is of windows.
struct SavedRun {
  VecX z;
  Trajectory trajectory;
};

// The run that would be the result, as its line in convergence.jsonl has it.
struct BestRecord {
  int iteration = 0;
  double merit = 0.0;  // less is better: the objective, or with effort = "auto" as ToleranceWeights::merit
  double objective = 0.0;
  ObjectiveTerms terms;
  double gradient_norm = 0.0;
};

// Of a search in windows: those that are done. `at` holds their unknowns in those of the shot, and its run as far
// as they reach; the next window begins anew.
struct WindowsDone {
  int count = 0;
  int forward_simulations = 0;  // of the searches alone
  bool out_of_budget = false;   // one of them
};

struct Checkpoint {
  SceneFingerprint scene;
  std::string layout;             // layout_fingerprint of the unknowns
  bool is_before_search = false;  // only the run without forces was made; the steered one comes next
  int iteration = 0;              // the last that is in convergence.jsonl
  int first_iteration = 0;        // what the optimiser's own iteration 0 is called there
  int stage_iteration = 0;        // one after the last of the stage before
  double time_s = 0.0;
  ShootingWork work;
  std::vector<KeyframeMiss> uncontrolled;  // one a keyframe; NaN where unknown [m]
  ClosestMisses closest;                   // of the runs so far; of windows none
  std::vector<double> weight_factors;      // of the objective, one a keyframe
  std::vector<int> keyframe_states;        // chosen ones, one a keyframe
  std::vector<double> weight_memory;       // ToleranceWeights::memory(); empty without effort = "auto"
  std::vector<LevelOutcome> levels;        // coarser ones that were searched before
  OptimizerProgress progress;
  BestRecord best_record;
  std::optional<WindowsDone> windows;  // none: of a search of the whole shot
  SavedRun at;                         // where the search stands
  std::optional<SavedRun> best;        // none: it is `at`
};

// What is written refers to runs that live elsewhere.
struct RunView {
  const VecX& z;
  const Trajectory& trajectory;
};
// `at` and `best` are written in place of the checkpoint's own; null: `at` is the best. Throws OutputError:
// the checkpoint before then stays.
void write_checkpoint(const RunFolder& folder, const Checkpoint& checkpoint, const RunView& at,
                      const RunView* best);

// Requires the sizes of the shot at hand. Throws InputError: no checkpoint, a damaged one, or one of another
// scene, with what differs and whether its forces fit. With `any_scene` those that fit are read all the same.
Checkpoint read_checkpoint(const RunFolder& folder, const SceneFingerprint& scene, const Shot& shot,
                           bool any_scene);

// What convergence.jsonl holds up to the checkpoint's iteration, to go on from; nothing without a checkpoint.
std::string earlier_convergence_lines(const RunFolder& folder, const std::optional<Checkpoint>& checkpoint);

}  // namespace keydrape
