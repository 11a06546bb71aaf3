#include "control/search/level_search.h"

#include <algorithm>
#include <string>
#include <utility>

#include "control/search/search.h"
#include "control/search/single_search.h"
#include "core/base/error.h"
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

SearchPart LevelSearch::part_of(std::size_t level) const {
  const PreparedTask& task = levels_[level]->task;
  SearchPart part{SearchPart::Kind::kLevel, task.task.grid.all(), task};
  part.level = static_cast<int>(level) + 1;
  return part;
}

const CoarseStart* LevelSearch::run(std::vector<LevelOutcome>& outcomes) {
  build();
  std::size_t first = levels_.size();
  std::optional<SearchCheckpoint> stand;
  for (std::size_t k = 0; k < levels_.size() && !stand; ++k) {
    stand = whole_.observer.level_checkpoint(part_of(k));
    if (stand) first = k + 1;
  }
  if (stand) outcomes = stand->state.levels;
  for (std::size_t k = first; k-- > 0; stand.reset()) search(k, stand ? &*stand : nullptr, outcomes);
  return start_ ? &*start_ : nullptr;
}

void LevelSearch::search(std::size_t number, SearchCheckpoint* resume, std::vector<LevelOutcome>& outcomes) {
  const Level& level = *levels_[number];
  const Task& task = level.task.task;
  SearchOptions options = whole_.options;
  options.max_forward_runs.reset();  // a resumed search may have another, and has to come to the same start
  // Of the task's own runs.
  options.memory_bytes = std::max(0.0, options.memory_bytes - whole_.memory.trajectories);
  options.coarsening = {};
  const SearchMemory memory = plan_search_memory(level.task, options);
  SearchResult found;
  if (memory.fits()) {
    SearchContext context{part_of(number), options, memory, whole_.observer, resume, {}, nullptr, {}};
    if (number + 1 < levels_.size())
      context.search_coarser = [&](std::vector<LevelOutcome>& before) {
        before = outcomes;
        return start_ ? &*start_ : nullptr;
      };
    whole_.observer.on_part(context.part);
    found = search_at_once(context);
  } else {
    found.summary.end = SearchEnd::kRefused;
    found.summary.reason = "the memory of the search does not hold this level beside the task's own runs";
  }
  const SearchSummary& summary = found.summary;
  LevelOutcome& outcome = outcomes.emplace_back(LevelOutcome{
      task.vertex_count(), task.grid.substeps, summary.sentence(), {}, summary.work, summary.time_s});
  // The run without forces is no start, and finer ones have one of their own.
  const bool is_start = found.best && (!found.best->z.isZero(0.0) || is_met(summary.end));
  if (is_start) outcome.misses = found.best->misses;
  if (summary.is_stopped()) throw SearchStopped{};
  whole_.observer.on_level(outcome);
  start_.reset();
  if (!is_start) return;
  found_ = std::move(found.best);
  start_.emplace(
      CoarseStart{{*level.task.layout, found_->z, found_->trajectory, task.grid.dt(), level.embedding},
                  std::move(found.weight_factors)});
}

}  // namespace keydrape
