#include "control/search/search.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "control/search/level_search.h"
#include "control/search/single_search.h"
#include "control/search/window_search.h"
#include "core/base/error.h"

namespace keydrape {
namespace {

StoredMethod stored_method(const SearchOptions& options, const Task& task) {
  if (options.method == SearchMethod::kLbfgs) return StoredMethod::kLbfgs;
  if (options.method == SearchMethod::kDescent) return StoredMethod::kDescent;
  return task.pushing.max_acceleration ? StoredMethod::kBoundedGaussNewton : StoredMethod::kGaussNewton;
}

}  // namespace

SearchMemory plan_search_memory(const PreparedTask& prepared, const SearchOptions& options,
                                double scratch_bytes) {
  const Task& task = prepared.task;
  auto budget = static_cast<double>(options.whole_memory_bytes());
  const int wanted_pairs = OptimizerOptions().memory_pairs;
  const int seen_states = static_cast<int>(prepared.objective->first_goal()->seen_states().size());
  if (options.windows.empty())
    return plan_search_memory(*prepared.simulator, *prepared.layout, stored_method(options, task),
                              seen_states, wanted_pairs, {budget, scratch_bytes}, prepared.channels.get());
  // Of the longest window, beside the states of the whole task. None goes with channels.
  const IntervalRange longest =
      *std::max_element(options.windows.begin(), options.windows.end(),
                        [](const auto& a, const auto& b) { return a.count() < b.count(); });
  const std::unique_ptr<ControlLayout> of_window = window_layout(prepared, longest);
  budget -= 2.0 * sizeof(double) * static_cast<double>(task.start.x.size()) * (task.grid.step_count() + 1);
  return plan_search_memory(*prepared.simulator, *of_window, stored_method(options, task), seen_states,
                            wanted_pairs, {std::max(0.0, budget), scratch_bytes});
}

SearchMemory plan_search_memory(const PreparedTask& prepared, const SearchOptions& options) {
  return plan_search_memory(prepared, options, options.scratch ? options.scratch->capacity_bytes() : 0.0);
}

SearchResult search(const PreparedTask& task, const SearchOptions& options, SearchObserver& observer,
                    std::optional<SearchCheckpoint> resume) {
  check(options, task.task);
  const SearchMemory memory = plan_search_memory(task, options);
  if (!memory.fits())
    throw InputError("memory_bytes: found " + std::to_string(options.memory_bytes) + "; expected at least " +
                     std::to_string(std::ceil(memory.needed)) + " for this task");
  SearchContext context{{SearchPart::Kind::kWhole, task.task.grid.all(), task},
                        options,
                        memory,
                        observer,
                        resume ? &*resume : nullptr,
                        {},
                        nullptr,
                        {}};
  if (!options.windows.empty()) return search_in_windows(context);
  LevelSearch levels(context);
  if (options.coarsening.levels > 0)
    context.search_coarser = [&](std::vector<LevelOutcome>& outcomes) { return levels.run(outcomes); };
  return search_at_once(context);
}

SearchResult search(const Task& task, const SearchOptions& options, SearchObserver& observer,
                    std::optional<SearchCheckpoint> resume) {
  return search(prepare(task), options, observer, std::move(resume));
}

}  // namespace keydrape
