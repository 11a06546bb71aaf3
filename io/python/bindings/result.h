#pragma once

#include <vector>

#include "control/search/result.h"
#include "io/python/bindings/run.h"
#include "io/python/bindings/search_watch.h"

namespace keydrape::python {

// Result of Python: what a search found.
struct Result {
  TaskPointer task;
  VecX z;
  RunPointer run;
  std::vector<TargetOutcome> targets;
  SearchSummary summary;
  bool reached;
  std::vector<Iteration> history;
};
Result result_of(TaskPointer task, SearchResult found, std::vector<Iteration> history);

// What Python gets: the result, or, where a signal's handler threw, that with the result as its `result`.
// To be called with the GIL. Throws SimulationFailure where not even the first run came to its end.
Result hand_over(Result result, SearchWatch& watch);

}  // namespace keydrape::python
