#include "io/cli/coarse_search.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "core/base/error.h"
#include "io/cli/console_text.h"
#include "io/cli/memory.h"
#include "io/cli/stopwatch.h"
#include "io/file/interrupt.h"

namespace keydrape {
namespace {

LevelOutcome outcome(const Shot& shot, const SearchResult& result, double seconds) {
  LevelOutcome level;
  level.vertices = shot.rest.vertex_count();
  level.substeps = shot.clock.substeps;
  level.end = result.end;
  if (result.best)
    for (const KeyframeMiss& miss : result.best->misses)
      level.misses.push_back({shot.clock.frame_of_step(miss.state), miss.rms, miss.max});
  const ShootingWork& work = result.work;
  level.forward_simulations = work.forward_simulations;
  level.adjoint_sweeps = work.adjoint_sweeps;
  level.tangent_sweeps = work.tangent_sweeps;
  level.newton_iterations = work.newton_iterations;
  level.factorizations = work.factorizations;
  level.time_steps = work.time_steps;
  level.time_s = seconds;
  return level;
}

}  // namespace

CoarseSearchResult CoarseSearch::run() {
  CoarseLevels opened = open_coarse_levels(whole_.scene);
  levels_ = std::move(opened.levels);
  whole_.progress.clear();
  if (!opened.obstacle.empty())
    spdlog::warn("coarse_to_fine: {} of {} coarser levels: {}", levels_.size(),
                 whole_.scene.control.coarse_levels, opened.obstacle);
  std::vector<LevelOutcome> outcomes;
  for (std::size_t k = levels_.size(); k-- > 0;) outcomes.push_back(search_level(levels_[k]));
  return {start_, std::move(outcomes)};
}

LevelOutcome CoarseSearch::search_level(CoarseLevel& level) {
  const Stopwatch watch;
  const Shot& shot = level.shot;
  // Beside it stand the runs of the shot itself.
  Scene scene = whole_.scene;
  scene.control.max_forward_simulations
      .reset();  // a resumed run may have another, and has to come to the same start
  scene.solver.memory_gb = std::max(0.0, scene.solver.memory_gb - whole_.memory.trajectories / kBytesPerGb);
  SearchResult found;
  try {
    const SearchMemory memory = search_memory(scene, shot);
    const std::optional<Checkpoint> no_checkpoint;
    const std::optional<SavedRun> no_guess;
    SearchArguments arguments{
        scene, shot, whole_.folder, whole_.fingerprint, no_checkpoint, no_guess, memory, whole_.progress, {}};
    arguments.level =
        fmt::format("{} vertices, {} substeps: ", shot.rest.vertex_count(), shot.clock.substeps);
    if (start_) arguments.search_coarser = [this] { return CoarseSearchResult{start_, {}}; };
    found = search(arguments);
  } catch (const InputError& error) {
    found.end = error.what();
  }
  if (found.interrupted) throw Interrupted{};
  whole_.progress.clear();
  const LevelOutcome outcome = keydrape::outcome(shot, found, watch.seconds());
  spdlog::info("coarser level of {} vertices and {} substeps: {} forward runs, {:.1f} s{}{}; {}",
               outcome.vertices, outcome.substeps, outcome.forward_simulations, outcome.time_s,
               found.best ? ", " : "", found.best ? miss_text(shot, found.best->misses) : "", outcome.end);
  start_.reset();
  if (!found.best) return outcome;
  found_ = std::move(found);
  start_.emplace(CoarseStart{
      {*shot.layout, found_->best->z, found_->best->trajectory, shot.simulator->dt(), level.embedding},
      shot.objective->weight_factors()});
  return outcome;
}

}  // namespace keydrape
