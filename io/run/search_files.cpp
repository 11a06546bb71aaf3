#include "io/run/search_files.h"

#include "core/base/stopwatch.h"
#include "io/run/run_outputs.h"
#include "io/run/run_records.h"
#include "io/shot/control.h"

namespace keydrape {

SearchFiles::SearchFiles(const Scene& scene, const Shot& shot, const RunFolder& folder,
                         const SceneFingerprint& fingerprint, const std::optional<Checkpoint>& resumed)
    : scene_(scene),
      shot_(shot),
      folder_(folder),
      fingerprint_(fingerprint),
      lines_(folder / "convergence.jsonl", earlier_convergence_lines(folder, resumed)) {
  if (resumed) checkpointed_iteration_ = resumed->search.state.iteration;
}

void SearchFiles::write_uncontrolled(const Trajectory& run) {
  const TimedScope timed(seconds_);
  keydrape::write_uncontrolled(scene_, shot_, run, folder_);
}

void SearchFiles::write_iteration(const SearchIteration& iteration) {
  if (iteration.part.kind == SearchPart::Kind::kLevel) return;
  const TimedScope timed(seconds_);
  std::optional<FrameRange> window;
  if (iteration.part.kind == SearchPart::Kind::kWindow)
    window = frames_of(iteration.part.range, shot_.clock.frames);
  lines_.append(
      convergence_line({iteration.iteration, iteration.objective, iteration.terms, iteration.gradient_norm,
                        iteration.step_length, iteration.forward_simulations, iteration.cg_iterations,
                        iteration.time_s, window},
                       keyframe_outcomes(shot_, iteration.part, iteration.misses)));
}

void SearchFiles::write_checkpoint(const SearchPart& part, const SearchStand& stand) {
  const TimedScope timed(seconds_);
  if (part.kind == SearchPart::Kind::kLevel) {
    write_level_checkpoint(folder_, fingerprint_, shot_, part, stand);
    level_iteration_ = stand.state.iteration;
    return;
  }
  keydrape::write_checkpoint(folder_, fingerprint_, shot_, stand);
  checkpointed_iteration_ = stand.state.iteration;
  folder_.drop(kLevelFiles);
}

std::optional<SearchCheckpoint> SearchFiles::read_level(const SearchPart& part) {
  const TimedScope timed(seconds_);
  std::optional<SearchCheckpoint> stand = read_level_checkpoint(folder_, fingerprint_, shot_, part);
  level_iteration_.reset();
  if (stand) level_iteration_ = stand->state.iteration;
  return stand;
}

}  // namespace keydrape
