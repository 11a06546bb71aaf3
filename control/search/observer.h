#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/search/checkpoint.h"
#include "control/search/goal_adaptation.h"
#include "control/search/result.h"
#include "control/task/prepared_task.h"

namespace keydrape {

// Which of the searches of a task is meant: a task may be searched in windows, and coarser versions
// of it first.
struct SearchPart {
  enum class Kind { kWhole, kWindow, kLevel };
  Kind kind = Kind::kWhole;
  IntervalRange range;       // of the whole task's intervals
  const PreparedTask& task;  // that is searched
  // Of a window: which of how many it is, from 1, and the run from the task's start to where it begins.
  int window = 0, window_count = 0;
  const Trajectory* before = nullptr;
  int level = 0;  // how often the whole was made coarser
};

// An iteration that is done. Counts and times run from the first start of the search, over resumed ones, too.
struct SearchIteration {
  const SearchPart& part;
  int iteration;
  double objective = 0.0;
  ObjectiveTerms terms{};
  double gradient_norm = 0.0;  // not finite: it could not be computed
  double step_length = 0.0;
  int forward_simulations;
  int cg_iterations;
  double time_s;
  const std::vector<KeyframeMiss>& misses;  // one a target of the part
  // The last word: the run that is the result, where the search ended elsewhere.
  bool is_result = false;
};

// How far a search has come, for people.
struct SearchPosition {
  const SearchPart& part;
  const ShootingWork& work;  // of this part
  int iteration;             // that is under way
  int budget;                // forward runs allowed
};

enum class SearchWarning {
  // Could not be simulated to the end: the run without forces, or one that is named, a first guess or that
  // along a coarser level.
  kUncontrolledFailed,
  kStartFailed,
  kFewerLevels,  // than asked for: the next ones cannot be made
};

// Told of a search, and asked whether to stop it. Every function may be left out; what one throws
// ends the search.
class SearchObserver {
 public:
  virtual ~SearchObserver() = default;

  // A window, or a coarser level, begins.
  virtual void on_part(const SearchPart&) {}
  // The run without forces, or the take, is complete; of the whole task.
  virtual void on_uncontrolled(const Trajectory&) {}
  virtual void on_iteration(const SearchIteration&) {}
  // Keyframes were adapted to the run after an iteration.
  virtual void on_goal_change(const SearchPart&, int /*iteration*/, const GoalChange&, const GoalState&) {}
  // A run of this part is the best so far, after its iteration was told. Coarser levels are not told of.
  virtual void on_improvement(const SearchPart&, const Trajectory&) {}
  virtual void on_level(const LevelOutcome&) {}
  // `text`: what stood in the way.
  virtual void on_warning(SearchWarning, const std::string& /*text*/) {}
  // The search of this part can go on from here, with these runs; `best` null: it is `at`. Windows are told
  // of as the whole.
  virtual void on_checkpoint(const SearchPart&, const SearchState&, const RunView& /*at*/,
                             const RunView* /*best*/) {}
  // Asked before a coarser level is searched: where it stood when an earlier search of the same task was
  // broken off; none: it begins anew.
  virtual std::optional<SearchCheckpoint> level_checkpoint(const SearchPart&) { return {}; }
  // Before every step of a run (step >= 0: the one that was made) and of a sweep (-1).
  virtual void on_progress(const SearchPosition&, int /*step*/) {}
  // Asked as often. A search that is stopped keeps the best so far.
  virtual bool should_stop() { return false; }
};

}  // namespace keydrape
