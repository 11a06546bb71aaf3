#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "control/optimize/progress.h"
#include "control/search/closest_misses.h"
#include "control/search/result.h"
#include "control/search/saved_run.h"
#include "control/search/tolerance_weights.h"

// Where a search stands, as a value: everything that its continuation depends on, so that it goes on to the
// bits of a search that was never broken off.

namespace keydrape {

// Of a search in windows: those that are done. The checkpoint's run holds their unknowns in those of the
// whole task, and its trajectory reaches as far as they do; the next window begins anew.
struct WindowsDone {
  int count = 0;
  int forward_simulations = 0;        // of the searches alone
  int budget = 0;                     // of forward runs that each was allowed; 0: not known
  std::vector<int> spent{};           // that ran out of them, ascending
  std::optional<int> first_missed{};  // the first that did not reach what has weight
  // Of the first that missed; where none has, of the last with weight. None: of no window yet.
  std::optional<SearchEnd> end{};
  std::string reason{};  // SearchSummary::reason of that one
};

// All of it but the runs.
struct SearchState {
  bool is_before_search = false;  // only the run without forces was made; the steered one comes next
  int iteration = 0;              // the last that was reported
  int first_iteration = 0;        // what the optimiser's own iteration 0 is called
  int stage_iteration = 0;        // one after the last of the stage before
  double time_s = 0.0;
  ShootingWork work;
  std::vector<KeyframeMiss> uncontrolled;                 // one a target; NaN where unknown [m]
  FastestVertex uncontrolled_fastest;                     // of the run without forces
  ClosestMisses closest;                                  // of the runs so far; of windows none
  std::vector<double> weight_factors;                     // one a target
  std::vector<int> keyframe_states;                       // chosen ones, one a target
  std::vector<VecX> matched;                              // GoalState::matched(); of windows none
  std::optional<ToleranceWeights::Memory> weight_memory;  // none: the effort is a number
  std::vector<LevelOutcome> levels;                       // coarser ones that were searched before
  OptimizerProgress progress;
  RunRecord best_record;
  std::optional<WindowsDone> windows;  // none: of a search of the whole task
};

struct SearchCheckpoint {
  SearchState state;
  SavedRun at;                   // where the search stands
  std::optional<SavedRun> best;  // none: it is `at`

  // Takes the best run out of it.
  SavedRun forces() && { return best ? std::move(*best) : std::move(at); }
};

}  // namespace keydrape
