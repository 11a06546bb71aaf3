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

// The RMS misses that a run from behind need not go below, one a target [m]: near its tolerance, or where the
// task names none the one that it would have with an automatic effort.
std::vector<double> near_enough(const Task& task) {
  std::vector<Target> targets = task.targets;
  for (Target& target : targets) set_default_tolerances(target, task.length());
  std::vector<double> aims;
  for (const KeyframeTolerance& tolerance : aimed_tolerances(targets))
    aims.push_back(ToleranceWeights::kAim * tolerance.rms);
  return aims;
}

// Runs that were steered towards the keyframes: the more promising one, and the other if there is one.
struct SteeredRuns {
  std::unique_ptr<ShootingIterate> start, spare;
};
SteeredRuns steered(const SearchContext& context, ShootingProblem& problem, ToleranceWeights* tolerances,
                    const ShootingIterate& free) {
  auto guided = problem.evaluate_guided(free.shared_goal());
  // Whatever the budget: a search that goes on with a larger one has to have begun at the same run.
  auto retrograde =
      problem.evaluate_retrograde(guided->is_complete() ? *guided : free, near_enough(context.task().task));
  if (!retrograde) {
    if (tolerances) tolerances->learn_from(*guided);
    return {std::move(guided), nullptr};
  }
  const bool is_guided_better = tolerances ? &tolerances->choose_start(*guided, *retrograde) == guided.get()
                                           : guided->objective() <= retrograde->objective();
  if (!is_guided_better) std::swap(guided, retrograde);
  return {std::move(guided), std::move(retrograde)};
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
      if (tolerances) tolerances->all_changes_count();
      const GoalPointer there =
          tolerances ? tolerances->with(*starts.goal, coarse->weight_factors) : starts.goal;
      start = problem.evaluate_along(coarse->run, there);
    }
  }
  if (!start && is_steered(context)) {
    SteeredRuns runs = steered(context, problem, tolerances, free);
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
