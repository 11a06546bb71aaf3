#pragma once

#include <optional>

#include "control/search/search_context.h"
#include "control/search/search_goal.h"
#include "core/base/stopwatch.h"

namespace keydrape {

// The book that a search keeps: iterations as they are counted, the best run so far, what a continuation
// depends on. Tells the observer of every entry.
class SearchLedger {
 public:
  // All outlive it.
  SearchLedger(const SearchContext& context, const ShootingProblem& problem, const SearchGoal& goal);

  // The misses of the run without forces.
  void set_uncontrolled(std::vector<KeyframeMiss> misses, const FastestVertex& fastest) {
    uncontrolled_ = std::move(misses);
    uncontrolled_fastest_ = fastest;
  }
  const std::vector<KeyframeMiss>& uncontrolled() const { return uncontrolled_; }
  std::vector<LevelOutcome>& levels() { return levels_; }
  const std::optional<SearchPoint>& best() const { return best_; }

  // Goes on from a checkpoint; `at` and `best` are its runs.
  void go_on_from(const SearchState& state, const ShootingIterate& at, const ShootingIterate* best);

  // Counts an iteration and reports it; nothing where the optimiser reports the run that it
  // starts from again.
  void record(const IterationRecord& record);
  // A complete run was met, whatever becomes of it.
  void compare(const ShootingIterate& run);
  // This run is the result so far; `in_iteration`: or RunRecord::kInNone.
  void keep(const ShootingIterate& run, int in_iteration, double gradient_norm);
  bool is_better(const ShootingIterate& run) const;

  // Only the run without forces was made; else the search is under way.
  void set_before_search(bool is_before_search) { is_before_search_ = is_before_search; }
  bool is_before_search() const { return is_before_search_; }
  // The search begins with another run than the one of iteration 0.
  void begin_after_first() { ++first_iteration_; }
  // The optimiser begins again.
  void begin_stage() { stage_iteration_ = iteration_ + 1; }

  // Everything that the search depends on from here.
  void checkpoint(const ShootingIterate& at, const OptimizerProgress& progress);
  // The last entry is that of the result.
  void end_with_result();

  // The iteration that is under way.
  int next_iteration() const { return iteration_ + 1; }
  PartCounts counts() const;
  // Without the end.
  SearchResult result() &&;

 private:
  // With what this counts. `misses` outlives it.
  SearchIteration entry(int iteration, const std::vector<KeyframeMiss>& misses) const;
  int forward_simulations() const;
  double time_s() const;

  const SearchContext& context_;
  const ShootingProblem& problem_;
  const SearchGoal& goal_;
  std::vector<KeyframeMiss> uncontrolled_;
  FastestVertex uncontrolled_fastest_;
  std::vector<LevelOutcome> levels_;
  ClosestMisses closest_;
  std::optional<SearchPoint> best_;
  bool is_before_search_ = false;
  int iteration_;            // the last one reported, of the windows before, too; -1: none
  int first_iteration_;      // what the optimiser's own iteration 0 is called
  int stage_iteration_ = 0;  // one after the last of the stage before
  int cg_iterations_;        // as last reported
  double time_before_s_;     // of the windows before, and of the search that goes on
  Stopwatch elapsed_;
};

}  // namespace keydrape
