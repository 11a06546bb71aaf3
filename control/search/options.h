#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "control/derivatives/scratch.h"
#include "control/search/run_budgets.h"
#include "control/search/saved_run.h"
#include "control/task/coarse_task.h"
#include "control/task/prepared_task.h"

namespace keydrape {

enum class SearchMethod {
  kGaussNewton,
  kLbfgs,
  kDescent,  // by the gradient alone: for comparison
};

// Where a search begins.
enum class SearchStart {
  kGuided,  // the best of the run without forces, of steered ones, and of what the linear model proposes
  kFree,    // the run without forces
};

struct SearchOptions {
  SearchMethod method = SearchMethod::kGaussNewton;
  SearchStart start = SearchStart::kGuided;
  std::optional<int> max_forward_runs{};  // >= 1; absent: by method (run_budgets.h)
  double memory_bytes = 4e9;              // for the states and factors of runs and the optimiser's vectors
  // A file for factors that memory has no room for; null: none. Outlives the search.
  Scratch* scratch = nullptr;
  // Coarser versions of the task that are searched first. Not with windows, channels or a take; a first guess
  // takes their place.
  Coarsening coarsening{};
  // Parts that are solved one after the other, ascending and without a gap; empty: the whole task at once.
  // Not with channels, knots or Pushing::when; several not with NetForce::kZeroImpulse.
  std::vector<IntervalRange> windows{};
  // A run of another task with unknowns as many and of the same meaning; null: none. Outlives the search.
  // Windows begin with its unknowns alone: for them it may end before the task does.
  const SavedRun* first_guess = nullptr;

  // memory_bytes as a count: whole bytes, and at most 1e18, which no machine has.
  std::size_t whole_memory_bytes() const;
  int forward_run_budget(const EffortPolicy& effort) const;
  // The same, or what the runs take that it may begin with, which it makes whatever the budget: one that goes
  // on with a larger one has to have begun alike. Within bounds L-BFGS begins at one more, drawn inside.
  int most_forward_runs(const Task& task) const;
  // Iterations for less effort once all that was asked for is met: as many as there are runs where their
  // number is named or they are cheap (run_budgets.h).
  int iterations_for_less(const Task& task) const;
};

// Throws InputError, which says what was found and what is expected: check(task) (task_check.h), numbers out
// of range, windows that are not within the task, options that exclude each other, no target, or nothing to
// choose: neither vertices to push nor channels.
void check(const SearchOptions& options, const Task& task);

}  // namespace keydrape
