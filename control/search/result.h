#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "control/goal/objective.h"
#include "control/optimize/optimizer.h"
#include "control/run/trajectory.h"
#include "control/search/closest_misses.h"
#include "control/shooting/shooting_work.h"
#include "control/task/task.h"

namespace keydrape {

// A miss that could not be measured.
inline constexpr double kUnknownMiss = std::numeric_limits<double>::quiet_NaN();

enum class SearchEnd {
  kMet,               // every tolerance of what has weight is met
  kMetWithoutForces,  // by the run without forces
  kGradient,          // the gradient is below its tolerance
  kAtRest,            // the objective does not fall any more
  kForwardRuns,       // the bound on forward runs was reached
  kIterations,        // that on iterations
  kNoDescent,         // no step along the last direction was better
  kStopped,           // the observer asked for it
  kStartFailed,       // the simulation failed at the start
  kFlat,              // the goal has no slope at the start
  kNoDerivatives,     // the derivatives of the last run could not be computed
  kRefused,           // the task cannot be searched
};
SearchEnd search_end(OptimizerEnd end);
bool is_met(SearchEnd end);  // every tolerance of what has weight

// The run that would be the result, as its iteration was reported.
struct RunRecord {
  // Of a run that was in no iteration: it was met in a line search, or the search did not begin with it.
  static constexpr int kInNone = -1;

  int iteration = 0;
  // Less is better: the objective, or with EffortPolicy::automatic as ToleranceWeights::merit.
  double merit = 0.0;
  double objective = 0.0;
  ObjectiveTerms terms;
  double gradient_norm = 0.0;
};

// Whether some target has a tolerance and no weight, so that nothing tries to meet it.
bool asks_without_weight(const std::vector<Target>& targets);

// What became of one target.
struct TargetOutcome {
  int number = 0;                              // Target::number
  int target_id = -1;                          // Keyframe::target_id
  KeyframeMiss miss;                           // of the result [m]
  double uncontrolled_rms = kUnknownMiss;      // of the run without forces [m]
  std::optional<double> tolerance{};           // on the RMS distance [m]
  std::optional<double> velocity_tolerance{};  // [m/s]
  std::optional<double> tolerance_max{};       // on the farthest vertex [m]

  bool reached() const {
    return (!tolerance || miss.rms <= *tolerance) &&
           (!velocity_tolerance || miss.velocity_rms <= *velocity_tolerance) &&
           (!tolerance_max || miss.max <= *tolerance_max);
  }
};
// Of a target whose miss was measured; that of the run without forces is not known.
TargetOutcome target_outcome(const Target& target, const KeyframeMiss& miss);
std::vector<TargetOutcome> target_outcomes(const std::vector<Target>& targets,
                                           const std::vector<KeyframeMiss>& misses,
                                           const std::vector<KeyframeMiss>& uncontrolled);

// What came of a coarser version of the task that was searched first.
struct LevelOutcome {
  int vertices = 0;
  int substeps = 0;
  std::string end;                   // why its search ended, in words
  std::vector<KeyframeMiss> misses;  // one a target; none: not even its first run was finished
  ShootingWork work;
  double time_s = 0.0;  // wall-clock time
};

// What a search did, and why it ended.
struct SearchSummary {
  SearchEnd end = SearchEnd::kStopped;
  std::string reason;                      // of kRefused and kNoDerivatives, in words
  bool is_of_part = false;                 // only targets within a window were searched for
  bool is_without_weight = false;          // asks_without_weight()
  bool is_out_of_budget = false;           // it would have gone on, or one of its windows would
  int windows_done = 0, window_count = 0;  // 0: the whole task at once
  std::vector<int> windows_spent;          // that would have gone on, ascending
  std::vector<KeyframeMiss> uncontrolled;  // of the run without forces, one a target
  FastestVertex uncontrolled_fastest;      // of that run
  ClosestMisses closest;                   // of all runs; of windows none
  ShootingWork work;                       // without that of levels
  std::vector<LevelOutcome> levels;        // in the order in which they were searched, the coarsest first
  int iterations = 0;                      // that were reported
  int cg_iterations = 0;
  int forward_simulations = 0;  // of the searches: in windows without those that lead to them
  double time_s = 0.0;          // wall-clock time, over resumed searches too

  bool is_stopped() const { return end == SearchEnd::kStopped; }
  std::string sentence() const;  // why it ended
};

// A run of the search with everything that is wanted of it.
struct SearchPoint {
  VecX z;  // unknowns of the task's layout
  Trajectory trajectory;
  std::vector<KeyframeMiss> misses;  // one a target
  RunRecord record;
};

struct SearchResult {
  std::optional<SearchPoint> best;  // none: not even the first run was finished
  // Without a best run: unknowns of the task's layout, with the forces of the windows that are done. What
  // comes behind them could not be simulated.
  std::optional<VecX> z_of_windows{};
  std::vector<TargetOutcome> targets;  // of the best run; empty without one
  // Of the goal that the search ended with, one a target; empty in windows.
  std::vector<double> weight_factors;
  SearchSummary summary;

  bool reached() const;  // every target of the best run is within its tolerances
};

}  // namespace keydrape
