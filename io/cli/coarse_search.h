#pragma once

#include <optional>

#include "io/cli/search.h"
#include "io/shot/levels.h"

namespace keydrape {

// The searches of the coarser levels of a shot (control/README.md, "Coarse to fine"), each from what the
// level below it has found.
class CoarseSearch {
 public:
  // `whole`: of the shot itself, without a coarser search. What it refers to outlives this.
  explicit CoarseSearch(const SearchArguments& whole) : whole_(whole) {}

  // From the coarsest level on. Once; this outlives what it returns. A level that cannot be built or searched
  // is named in the log and left out. Leaves no files; throws Interrupted where a signal ended a level, of
  // which nothing is left then.
  CoarseSearchResult run();

 private:
  LevelOutcome search_level(CoarseLevel& level);

  SearchArguments whole_;
  std::vector<CoarseLevel> levels_;
  std::optional<SearchResult> found_;  // of the last level that has found something
  std::optional<CoarseStart> start_;
};

}  // namespace keydrape
