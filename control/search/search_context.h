#pragma once

#include <functional>
#include <vector>

#include "control/search/observer.h"
#include "control/search/options.h"
#include "control/shooting/search_memory.h"
#include "control/steering/prolongation.h"

namespace keydrape {

// Thrown out of runs and sweeps where the observer asks to stop. Not an error, hence no std::exception.
struct SearchStopped {};

// What the windows before have done, together.
struct PartCounts {
  int iterations = 0;
  int forward_simulations = 0;
  int cg_iterations = 0;
  double time_s = 0.0;
};

// What the next coarser level has found, to begin with. What it refers to outlives the search.
struct CoarseStart {
  CoarseRun run;
  std::vector<double> weight_factors;  // one a target
};

// All that the search of one task works with: the whole, a window or a level of it. Everything
// outlives the search.
struct SearchContext {
  SearchPart part;
  const SearchOptions& options;
  const SearchMemory& memory;
  SearchObserver& observer;
  SearchCheckpoint* resume = nullptr;  // null: from the start. What is large is taken out of it.
  PartCounts before{};
  // Of a window: unknowns that the windows before have left; null or zero: none.
  const VecX* begin_with = nullptr;
  // Called once, after the run without forces, unless nothing is left to do then: searches the coarser
  // levels, whose outcomes it appends, and says what the last of them has found; null: nothing. Empty:
  // there are none.
  std::function<const CoarseStart*(std::vector<LevelOutcome>&)> search_coarser{};

  const PreparedTask& task() const { return part.task; }
  bool is_whole() const { return part.kind == SearchPart::Kind::kWhole; }
};

}  // namespace keydrape
