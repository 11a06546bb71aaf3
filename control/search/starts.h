#pragma once

#include <memory>
#include <vector>

#include "control/search/search_context.h"
#include "control/search/search_goal.h"

namespace keydrape {

// A run that was saved, as it was: nothing is simulated. Counts as a forward run, as every iterate does.
std::unique_ptr<ShootingIterate> restored(ShootingProblem& problem, SavedRun run, GoalPointer goal);

// Runs that a search may begin with, beside the one without forces.
struct Starts {
  std::vector<std::unique_ptr<ShootingIterate>> runs;  // the best of them is to begin with
  // Not that, but the result where the search finds nothing better; may be null, or incomplete.
  std::unique_ptr<ShootingIterate> spare;
  GoalPointer goal;  // by which the search goes on: what was learnt from these runs
};

// Whether there is any to be had.
bool has_starts(const SearchContext& context);

// All of them: the run of an earlier search, or that along a coarser level's, or the most promising of one
// that is steered towards the keyframes, one from behind, if there is such a run, and the model's proposal;
// and what the windows before have left. `free`: the run without forces, measured by the goal so far, whose
// derivatives are released. `levels`: appended to, where coarser ones are searched.
Starts make_starts(const SearchContext& context, ShootingProblem& problem, SearchGoal& goal,
                   ShootingIterate& free, std::vector<LevelOutcome>& levels);

}  // namespace keydrape
