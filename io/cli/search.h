#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "control/shooting/search_memory.h"
#include "control/shooting/shooting_problem.h"
#include "control/steering/prolongation.h"
#include "io/cli/progress.h"
#include "io/run/checkpoint.h"
#include "io/run/level_outcome.h"
#include "io/run/run_folder.h"
#include "io/scene/scene.h"
#include "io/shot/shot.h"

namespace keydrape {

// What the windows before have done, together.
struct WindowCounts {
  int iterations = 0;  // lines of convergence.jsonl
  int forward_simulations = 0;
  int cg_iterations = 0;
  double time_s = 0.0;
};

// Of a search that is one of several, in windows of a shot (cli/window_search.h).
struct WindowProgress {
  FrameRange range;
  const VecX& begin_with;            // unknowns that the windows before have left; zero: none
  const std::string& earlier_lines;  // of convergence.jsonl
  const WindowCounts& before;
};

// What a coarser version of the shot has found, to begin with (cli/coarse_search.h). It outlives the search.
struct CoarseStart {
  CoarseRun run;
  const std::vector<double>& weight_factors;  // of its objective, one a keyframe
};
struct CoarseSearchResult {
  std::optional<CoarseStart> start;  // none: nothing came of it
  std::vector<LevelOutcome> levels;
};

struct SearchArguments {
  const Scene& scene;
  const Shot& shot;
  const RunFolder& folder;
  const SceneFingerprint& fingerprint;          // of the scene
  const std::optional<Checkpoint>& checkpoint;  // where to go on
  const std::optional<SavedRun>& first_guess;  // instead of a steered run, should it be better than no forces
  const SearchMemory& memory;
  Progress& progress;
  // Told of every trajectory that is the best so far, once its line is in convergence.jsonl. May throw to end
  // the search.
  std::function<void(const Trajectory&)> on_improvement;
  const WindowProgress* window = nullptr;  // null: of the whole shot
  // Called once, after the run without forces, unless nothing is left to do then: a start instead of the
  // steered run. May throw Interrupted. Empty: there is none.
  std::function<CoarseSearchResult()> search_coarser{};
  std::string level{};  // how messages call a coarser version of the shot, whose search leaves no files;
                        // empty: it is none
};

// A point of the search with everything that is wanted of it.
struct SearchPoint {
  VecX z;
  Trajectory trajectory;
  std::vector<KeyframeMiss> misses;
  BestRecord record;
};

struct SearchResult {
  std::optional<SearchPoint> best;         // none: not even the first run was finished
  std::vector<KeyframeMiss> uncontrolled;  // of the run without forces
  ClosestMisses closest;                   // of all runs; of windows none
  bool interrupted = false;
  bool out_of_budget = false;
  std::string end;  // why it ended, in words
  ShootingWork work;
  std::vector<LevelOutcome> levels;  // that were searched before
  double io_s = 0.0;                 // spent on files on the way
  // Of a window: what convergence.jsonl holds, and the counts for the next one.
  std::string convergence;
  WindowCounts counts;
};

// Looks for the control forces, from none or from a checkpoint. While it runs, writes uncontrolled.pc2 as
// soon as the first iterate is known, and for each iteration a line of convergence.jsonl and a checkpoint; of
// a window, lines only, of a coarser level, nothing. The last line is the result's: where the search ends
// elsewhere than at its best run, that run gets another one. SIGINT and SIGTERM end it with the best so far,
// SIGUSR1 makes it say from where it could be resumed. Throws OutputError.
SearchResult search(const SearchArguments& arguments);

}  // namespace keydrape
