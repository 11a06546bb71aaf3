#include "io/cli/search_beginning.h"

#include <utility>

namespace keydrape {

std::unique_ptr<ShootingIterate> restored(ShootingProblem& problem, const SavedRun& run) {
  return std::make_unique<ShootingIterate>(problem, run.z, problem.setting(run.z), run.trajectory);
}

Beginnings SearchBeginning::make(const ShootingIterate& free, ToleranceWeights* tolerances,
                                 std::vector<LevelOutcome>& levels) const {
  Beginnings beginnings;
  if (auto guess = this->guess(free, tolerances, levels, beginnings.spare))
    beginnings.runs.push_back(std::move(guess));
  if (has_earlier_windows())
    beginnings.runs.push_back(std::make_unique<ShootingIterate>(problem_, in_.window->begin_with));
  return beginnings;
}

bool SearchBeginning::is_steered() const {
  return in_.scene.control.start == scene::Start::kGuided && in_.shot.layout->active_count() > 0;
}

bool SearchBeginning::has_earlier_windows() const {
  return in_.window && !in_.window->begin_with.isZero(0.0);
}

// The forces of a run on another scene, the cloth keeping close to how it went there.
std::unique_ptr<ShootingIterate> SearchBeginning::repeated(const SavedRun& run) const {
  const ShootingWork work = problem_.work();
  const auto there = restored(problem_, run);
  problem_.work() = work;
  return there->nearby(run.z);
}

// The run that is steered along what a coarser level has found, weights included. Null: it has found nothing.
std::unique_ptr<ShootingIterate> SearchBeginning::along_coarser(ToleranceWeights* tolerances,
                                                                std::vector<LevelOutcome>& levels) const {
  CoarseSearchResult coarser = in_.search_coarser();
  levels = std::move(coarser.levels);
  if (!coarser.start) return nullptr;
  if (tolerances) in_.shot.objective->set_weight_factors(coarser.start->weight_factors);
  return problem_.evaluate_along(coarser.start->run);
}

std::unique_ptr<ShootingIterate> SearchBeginning::guess(const ShootingIterate& free,
                                                        ToleranceWeights* tolerances,
                                                        std::vector<LevelOutcome>& levels,
                                                        std::unique_ptr<ShootingIterate>& spare) const {
  if (in_.first_guess) {
    auto repeated = this->repeated(*in_.first_guess);
    if (tolerances) tolerances->learn_from(*repeated);
    return repeated;
  }
  if (in_.search_coarser)
    if (auto prolonged = along_coarser(tolerances, levels)) return prolonged;
  if (!is_steered()) return nullptr;
  auto guided = problem_.evaluate_guided();
  if (!tolerances) return guided;
  // Whatever the budget: a search that goes on with a larger one has to have begun at the same run.
  spare = problem_.evaluate_retrograde(guided->is_complete() ? *guided : free, tolerances->aims());
  if (!spare) {
    tolerances->learn_from(*guided);
  } else if (&tolerances->choose_start(*guided, *spare) == spare.get()) {
    std::swap(guided, spare);
  }
  return guided;
}

}  // namespace keydrape
