#include "control/search/options.h"

#include <string>

#include "core/base/error.h"

namespace keydrape {

int SearchOptions::forward_run_budget(const EffortPolicy& effort) const {
  const int of_gauss_newton = effort.automatic ? kAutomaticEffortRuns : kGaussNewtonRuns;
  return max_forward_runs.value_or(method == SearchMethod::kGaussNewton ? of_gauss_newton : kLbfgsRuns);
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
