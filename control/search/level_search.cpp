#include "control/search/level_search.h"

#include <algorithm>
#include <string>
#include <utility>

#include "control/search/search.h"
#include "control/search/single_search.h"
#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/inspect/overlap.h"

namespace keydrape {
namespace {

// Why no run can begin where the task does, in words; empty: it can.
std::string obstacle_at_start(const Task& task) {
  const VecX& x = task.start.x;
  const std::vector<char> held = held_vertices(task.cloth, 0.0);
  if (!overlaps_with_bodies(task.cloth, x, 0.0, held).empty() ||
      !overlaps_with_surfaces(task.cloth, x, 0.0, held).empty())
    return "at the start the coarser cloth is within a body";
  const std::vector<char> none(static_cast<std::size_t>(task.vertex_count()), 0);
  if (task.cloth.contact.self && !task.cloth.contact.exempt_start &&
      !overlap_with_itself(task.cloth, x, none).is_clean())
    return "at the start the coarser cloth goes through itself, or layers are too near";
  if (find_overstretched(task.cloth, x, 0.0).count > 0)
    return "at the start the coarser cloth is stretched beyond its strain limit";
  return "";
}

}  // namespace

void LevelSearch::build() {
  const Coarsening& coarsening = whole_.options.coarsening;
  std::string obstacle;
  std::vector<CoarserTask> tasks;
  while (static_cast<int>(tasks.size()) < coarsening.levels) {
    const Task& finer = tasks.empty() ? whole_.task().task : tasks.back().task;
    auto coarser = coarsened(finer, coarsening);
    if (!coarser) {
      obstacle = std::to_string(finer.vertex_count()) + " vertices and " +
                 std::to_string(finer.grid.substeps) + " substeps cannot be made coarser";
      break;
    }
    tasks.push_back(std::move(*coarser));
  }
  try {
    for (CoarserTask& coarser : tasks) {
      const std::string at_start = obstacle_at_start(coarser.task);
      if (!at_start.empty()) throw InputError(at_start);
      levels_.push_back(
          std::make_unique<Level>(Level{prepare(std::move(coarser.task)), std::move(coarser.embedding)}));
    }
  } catch (const InputError& error) {
    obstacle = error.what();
  }
  if (!obstacle.empty())
    whole_.observer.on_warning(SearchWarning::kFewerLevels, std::to_string(levels_.size()) + " of " +
                                                                std::to_string(coarsening.levels) +
                                                                " coarser levels: " + obstacle);
}

const CoarseStart* LevelSearch::run(std::vector<LevelOutcome>& outcomes) {
  build();
  for (std::size_t k = levels_.size(); k-- > 0;) {
    outcomes.push_back(search(*levels_[k]));
    whole_.observer.on_level(outcomes.back());
  }
  return start_ ? &*start_ : nullptr;
}

LevelOutcome LevelSearch::search(const Level& level) {
  const Stopwatch watch;
  const Task& task = level.task.task;
  LevelOutcome outcome{task.vertex_count(), task.grid.substeps, "", {}, {}, 0.0};
  SearchOptions options = whole_.options;
  options.max_forward_runs.reset();  // a resumed search may have another, and has to come to the same start
  // Of the task's own runs.
  options.memory_bytes = std::max(0.0, options.memory_bytes - whole_.memory.trajectories);
  options.coarsening = {};
  const SearchMemory memory = plan_search_memory(level.task, options);
  SearchResult found;
  if (memory.fits()) {
    SearchContext context{{SearchPart::Kind::kLevel, task.grid.all(), level.task},
                          options,
                          memory,
                          whole_.observer,
                          nullptr,
                          {},
                          nullptr,
                          {}};
    if (start_) context.search_coarser = [this](std::vector<LevelOutcome>&) { return &*start_; };
    whole_.observer.on_part(context.part);
    found = search_at_once(context);
  } else {
    found.summary.end = SearchEnd::kRefused;
    found.summary.reason = "the memory of the search does not hold this level beside the task's own runs";
  }
  if (found.summary.is_stopped()) throw SearchStopped{};
  outcome.end = found.summary.sentence();
  outcome.work = found.summary.work;
  outcome.time_s = watch.seconds();
  start_.reset();
  // The run without forces is no start, and finer ones have one of their own.
  if (!found.best || (found.best->z.isZero(0.0) && !is_met(found.summary.end))) return outcome;
  outcome.misses = found.best->misses;
  found_ = std::move(found.best);
  start_.emplace(
      CoarseStart{{*level.task.layout, found_->z, found_->trajectory, task.grid.dt(), level.embedding},
                  std::move(found.weight_factors)});
  return outcome;
}

}  // namespace keydrape
