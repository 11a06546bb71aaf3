#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "control/search/search_context.h"
#include "control/task/coarse_task.h"

namespace keydrape {

// The searches of the coarser levels of a task (control/EQUATIONS.md, "Coarse to fine"), each from what the
// level below it has found.
class LevelSearch {
 public:
  // `whole`: of the task itself. It outlives this, and this the search that begins with what it finds.
  explicit LevelSearch(const SearchContext& whole) : whole_(whole) {}

  // From the coarsest level on, or the one that the observer has a checkpoint of; once. Appends what came of
  // each. What the last of them has found; null: nothing. A level that cannot be built or searched is told of
  // and left out. Throws SearchStopped where a level was stopped.
  const CoarseStart* run(std::vector<LevelOutcome>& outcomes);

 private:
  struct Level {
    PreparedTask task;
    VertexEmbedding embedding;  // of the vertices of the next finer level
  };
  void build();
  SearchPart part_of(std::size_t level) const;
  void search(std::size_t level, SearchCheckpoint* resume, std::vector<LevelOutcome>& outcomes);

  const SearchContext& whole_;
  std::vector<std::unique_ptr<Level>> levels_;  // the finest first
  std::optional<SearchPoint> found_;            // by the last level that has found something
  std::optional<CoarseStart> start_;
};

}  // namespace keydrape
