#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "control/search_memory.h"
#include "control/shooting_problem.h"
#include "io/checkpoint.h"
#include "io/cli/progress.h"
#include "io/run_folder.h"
#include "io/scene.h"
#include "io/shot.h"

namespace keydrape {

struct SearchArguments {
  const Scene& scene;
  const Shot& shot;
  const RunFolder& folder;
  const std::string& fingerprint;               // of the scene
  const std::optional<Checkpoint>& checkpoint;  // where to go on
  const SearchMemory& memory;
  Progress& progress;
  // Told of every trajectory that is the best so far, once its line is in convergence.jsonl. May throw to end the
  // search.
  std::function<void(const Trajectory&)> on_improvement;
};

// A point of the search with everything that is wanted of it.
struct SearchPoint {
  VecX z;
  double merit;  // less is better: the objective, or with effort = "auto" as ToleranceWeights::merit
  Trajectory trajectory;
  std::vector<KeyframeMiss> misses;
  bool is_replay;  // as ShootingIterate::is_replay
};

struct SearchResult {
  std::optional<SearchPoint> best;         // none: not even the first run was finished
  std::vector<KeyframeMiss> uncontrolled;  // of the run without forces
  bool interrupted = false;
  bool out_of_budget = false;
  std::string end;  // why it ended, in words
  ShootingWork work;
  double io_s = 0.0;  // spent on files on the way
};

// Looks for the control forces, from none or from a checkpoint. While it runs, writes uncontrolled.pc2 as
// soon as the first iterate is known, a line of convergence.jsonl for each iteration and a checkpoint for
// each one that is the best so far. SIGINT and SIGTERM end it with the best so far. Throws OutputError.
SearchResult search(const SearchArguments& arguments);

}  // namespace keydrape
