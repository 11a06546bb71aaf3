#include "control/search/options.h"

#include <algorithm>
#include <string>

#include "core/base/error.h"

namespace keydrape {
namespace {

// That a search may begin with: without forces, steered from the front and from behind; and what the model
// proposes, and an iteration more of that and of the best of the others.
constexpr int kSteeredRuns = 3, kRacingRuns = 6;

}  // namespace

int SearchOptions::forward_run_budget(const EffortPolicy& effort) const {
  const int of_gauss_newton = effort.automatic ? kAutomaticEffortRuns : kGaussNewtonRuns;
  return max_forward_runs.value_or(method == SearchMethod::kGaussNewton ? of_gauss_newton : kLbfgsRuns);
}

int SearchOptions::most_forward_runs(const EffortPolicy& effort) const {
  const int budget = forward_run_budget(effort);
  if (budget < 2 || start != SearchStart::kGuided) return budget;
  return std::max(budget, method == SearchMethod::kGaussNewton ? kRacingRuns : kSteeredRuns);
}

void check(const SearchOptions& options, const Task& task) {
  if (options.max_forward_runs && *options.max_forward_runs < 1)
    throw InputError("max_forward_runs: found " + std::to_string(*options.max_forward_runs) +
                     "; expected at least 1");
  if (!(options.memory_bytes >= 0.0))
    throw InputError("memory_bytes: expected a number that is not negative");
  if (task.targets.empty()) throw InputError("the task has no target; expected one or more to search for");
  int before = -1;
  for (const IntervalRange& window : options.windows) {
    const bool is_inside = 0 <= window.first && window.first < window.last &&
                           window.last <= task.grid.interval_count && window.first > before;
    if (!is_inside)
      throw InputError("windows: found " + std::to_string(window.first) + " to " +
                       std::to_string(window.last) + "; expected ascending ones within 0 to " +
                       std::to_string(task.grid.interval_count));
    before = window.first;
  }
  if (options.coarsening.levels > 0 && (!options.windows.empty() || !task.channels.empty() || task.take))
    throw InputError("coarsening: goes neither with windows nor with channels nor with a take");
}

}  // namespace keydrape
