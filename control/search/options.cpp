#include "control/search/options.h"

#include <algorithm>
#include <string>

#include "control/task/task_check.h"
#include "core/base/error.h"

namespace keydrape {
namespace {

// That a search may begin with: without forces, led by hands, steered from the front, twice from behind; and
// what the model proposes, and an iteration more of that and of the best of the others. With windows, what
// the one before has found as well.
constexpr int kSteeredRuns = 5, kRacingRuns = 8;

}  // namespace

int SearchOptions::forward_run_budget(const EffortPolicy& effort) const {
  const int of_gauss_newton = effort.automatic ? kAutomaticEffortRuns : kGaussNewtonRuns;
  return max_forward_runs.value_or(method == SearchMethod::kGaussNewton ? of_gauss_newton : kLbfgsRuns);
}

int SearchOptions::most_forward_runs(const Task& task) const {
  const int budget = forward_run_budget(task.effort);
  const bool has_model = method == SearchMethod::kGaussNewton;
  int starts = 1;
  if (budget >= 2 && start == SearchStart::kGuided)
    starts = (has_model ? kRacingRuns : kSteeredRuns) + (windows.empty() ? 0 : 1);
  return std::max(budget, starts + (task.pushing.max_acceleration && !has_model ? 1 : 0));
}

int SearchOptions::iterations_for_less(const Task& task) const {
  const int budget = forward_run_budget(task.effort);
  const double run = static_cast<double>(task.vertex_count()) * task.grid.step_count();
  if (max_forward_runs || run <= kCheapRun) return budget;
  return std::max(kLeastForLess, static_cast<int>(budget * kCheapRun / run));
}

namespace {

// The unknowns of a window are some of the whole task's, and its blocks some of theirs.
void check_windows(const std::vector<IntervalRange>& windows, const Task& task) {
  int before = -1, last = task.grid.interval_count;
  for (const IntervalRange& window : windows) {
    const bool is_inside = 0 <= window.first && window.first < window.last &&
                           window.last <= task.grid.interval_count && window.first > before &&
                           window.first <= last;
    if (!is_inside)
      throw InputError("windows: found " + std::to_string(window.first) + " to " +
                       std::to_string(window.last) +
                       "; expected ascending ones without a gap between them, within 0 to " +
                       std::to_string(task.grid.interval_count));
    before = window.first;
    last = window.last;
  }
  if (windows.empty()) return;
  if (!task.channels.empty() || task.pushing.knots_every || task.pushing.when)
    throw InputError(
        "windows: go neither with channels nor with knots nor with pushing.when; leave one of them out");
  if (windows.size() > 1 && task.pushing.net == NetForce::kZeroImpulse)
    throw InputError(
        "windows: found several with NetForce::kZeroImpulse, of which each holds a part; expected one, or "
        "NetForce::kZero");
}

}  // namespace

std::size_t SearchOptions::whole_memory_bytes() const {
  constexpr double kMost = 1e18;
  return static_cast<std::size_t>(std::min(memory_bytes, kMost));
}

void check(const SearchOptions& options, const Task& task) {
  check(task);
  if (options.max_forward_runs && *options.max_forward_runs < 1)
    throw InputError("max_forward_runs: found " + std::to_string(*options.max_forward_runs) +
                     "; expected at least 1");
  if (!(options.memory_bytes >= 0.0))
    throw InputError("memory_bytes: expected a number that is not negative");
  if (task.targets.empty()) throw InputError("the task has no target; expected one or more to search for");
  if (task.pushing.vertices.empty() && task.channels.empty())
    throw InputError(
        "the task has neither vertices to push nor channels; expected one or the other to search for");
  check_windows(options.windows, task);
  if (options.coarsening.levels > 0 && (!options.windows.empty() || !task.channels.empty() || task.take))
    throw InputError("coarsening: goes neither with windows nor with channels nor with a take");
}

}  // namespace keydrape
