#include "control/search/starts.h"

#include <utility>

#include "control/shooting/shooting_iterate.h"

namespace keydrape {
namespace {

bool is_steered(const SearchContext& context) {
  return context.options.start == SearchStart::kGuided && context.task().layout->active_count() > 0;
}

bool has_first_guess(const SearchContext& context) {
  return context.part.kind == SearchPart::Kind::kWhole && context.options.first_guess;
}

bool has_earlier_windows(const SearchContext& context) {
  return context.begin_with && !context.begin_with->isZero(0.0);
}

// The forces of a run of another task, the cloth keeping close to how it went there.
std::unique_ptr<ShootingIterate> repeated(ShootingProblem& problem, const SavedRun& run,
                                          const GoalPointer& goal) {
  const ShootingWork work = problem.work();
  const auto there = restored(problem, run, goal);
  problem.work() = work;
  return there->nearby(run.z);
}

// Runs that were steered towards the keyframes: the more promising one, and the other if there is one.
struct SteeredRuns {
  std::unique_ptr<ShootingIterate> start, spare;
};
SteeredRuns steered(ShootingProblem& problem, ToleranceWeights* tolerances, const ShootingIterate& free) {
  auto guided = problem.evaluate_guided(free.shared_goal());
  if (!tolerances) return {std::move(guided), nullptr};
  // Whatever the budget: a search that goes on with a larger one has to have begun at the same run.
  auto retrograde = problem.evaluate_retrograde(guided->is_complete() ? *guided : free, tolerances->aims());
  if (!retrograde) {
    tolerances->learn_from(*guided);
    return {std::move(guided), nullptr};
  }
  if (&tolerances->choose_start(*guided, *retrograde) == guided.get())
    return {std::move(guided), std::move(retrograde)};
  return {std::move(retrograde), std::move(guided)};
}

}  // namespace

std::unique_ptr<ShootingIterate> restored(ShootingProblem& problem, const SavedRun& run, GoalPointer goal) {
  return std::make_unique<ShootingIterate>(problem, run.z, problem.variant(run.z), run.trajectory,
                                           std::move(goal));
}

bool has_starts(const SearchContext& context) {
  return has_first_guess(context) || is_steered(context) || has_earlier_windows(context) ||
         context.search_coarser;
}

Starts make_starts(const SearchContext& context, ShootingProblem& problem, SearchGoal& goal,
                   const ShootingIterate& free, std::vector<LevelOutcome>& levels) {
  Starts starts;
  starts.goal = free.shared_goal();
  std::unique_ptr<ShootingIterate> start;
  ToleranceWeights* tolerances = goal.tolerances();
  if (has_first_guess(context)) {
    start = repeated(problem, *context.options.first_guess, starts.goal);
    if (tolerances) tolerances->learn_from(*start);
  } else if (context.search_coarser) {
    if (const CoarseStart* coarse = context.search_coarser(levels)) {
      const GoalPointer there =
          tolerances ? tolerances->with(*starts.goal, coarse->weight_factors) : starts.goal;
      start = problem.evaluate_along(coarse->run, there);
    }
  }
  if (!start && is_steered(context)) {
    SteeredRuns runs = steered(problem, tolerances, free);
    start = std::move(runs.start);
    starts.spare = std::move(runs.spare);
  }
  if (start) {
    starts.goal = start->shared_goal();
    starts.runs.push_back(std::move(start));
  }
  if (has_earlier_windows(context))
    starts.runs.push_back(std::make_unique<ShootingIterate>(problem, *context.begin_with, starts.goal));
  return starts;
}

}  // namespace keydrape
