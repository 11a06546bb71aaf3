#pragma once

#include <memory>
#include <vector>

#include "control/search/tolerance_weights.h"
#include "io/cli/search.h"

namespace keydrape {

// A run that was saved, as it was: nothing is simulated. Counts as a forward run, as every iterate does.
std::unique_ptr<ShootingIterate> restored(ShootingProblem& problem, const SavedRun& run);

struct Beginnings {
  std::vector<std::unique_ptr<ShootingIterate>> runs;  // the best of them is to begin with
  // Not that, but the result where the search finds nothing better; may be null, or incomplete.
  std::unique_ptr<ShootingIterate> spare;
};

// Where a search may begin, other than without forces.
class SearchBeginning {
 public:
  // All outlive this; `problem` is that of `arguments`.
  SearchBeginning(const SearchArguments& arguments, ShootingProblem& problem)
      : in_(arguments), problem_(problem) {}

  // Whether there is any to be had.
  bool exists() const {
    return in_.first_guess || is_steered() || has_earlier_windows() || in_.search_coarser;
  }

  // All of them: the run of an earlier search, or that along a coarser level's, or that which is steered
  // towards the keyframes, with effort = "auto" the more promising of that and one from behind, if there is
  // such a run; and what the windows before have left. `free`: the run without forces. `tolerances` (null: a
  // fixed effort) learns from what comes near the keyframes, `levels` are those that were searched. May throw
  // as SearchArguments::search_coarser.
  Beginnings make(const ShootingIterate& free, ToleranceWeights* tolerances,
                  std::vector<LevelOutcome>& levels) const;

 private:
  bool is_steered() const;
  bool has_earlier_windows() const;
  std::unique_ptr<ShootingIterate> repeated(const SavedRun& run) const;
  std::unique_ptr<ShootingIterate> along_coarser(ToleranceWeights* tolerances,
                                                 std::vector<LevelOutcome>& levels) const;
  std::unique_ptr<ShootingIterate> guess(const ShootingIterate& free, ToleranceWeights* tolerances,
                                         std::vector<LevelOutcome>& levels,
                                         std::unique_ptr<ShootingIterate>& spare) const;

  const SearchArguments& in_;
  ShootingProblem& problem_;
};

}  // namespace keydrape
