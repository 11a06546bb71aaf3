#include "io/perform/solve_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "control/search/search.h"
#include "control/search/window_search.h"
#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "io/file/counted.h"
#include "io/file/file.h"
#include "io/perform/first_guess.h"
#include "io/perform/read_runs.h"
#include "io/perform/search_memory_text.h"
#include "io/perform/solve_observer.h"
#include "io/perform/solve_result.h"
#include "io/run/scene_files.h"
#include "io/run/scene_fingerprint.h"
#include "io/run/scratch_folder.h"
#include "io/run/search_files.h"
#include "io/run/shot_record.h"
#include "io/shot/contradictions.h"
#include "io/shot/control.h"
#include "io/shot/start.h"

namespace keydrape {
namespace {

// What a search goes on from, and begins with.
struct Continuation {
  std::optional<Checkpoint> checkpoint;  // of this scene
  std::optional<SavedRun> first_guess;   // of another one
};

// Empties the folder where what is there belongs to another scene, but for that scene's checkpoint.
Continuation continue_from(const RunFolder& folder, const SceneFingerprint& fingerprint, const Shot& shot,
                           EarlierRun earlier) {
  Continuation before;
  before.checkpoint =
      read_checkpoint(folder, fingerprint, shot,
                      earlier == EarlierRun::kReplace ? CheckpointOf::kAnyScene : CheckpointOf::kThisScene);
  const SearchState& state = before.checkpoint->search.state;
  if (differences(before.checkpoint->scene, fingerprint).empty()) {
    if (state.is_before_search || state.windows)
      before.first_guess = read_first_guess(folder, fingerprint, shot);
    return before;
  }
  before.first_guess = std::move(before.checkpoint->search).forces();
  before.checkpoint.reset();
  begin_with_first_guess(folder);
  return before;
}

// What a search took until it stood there, at least all of its parts: of windows its clock leaves out the run
// that leads to the first.
double seconds_until(const SearchState& state) {
  const ShootingWork& work = state.work;
  return std::max(state.time_s, work.forward_s + work.linearize_s + work.adjoint_s + work.tangent_s);
}

// "1 keyframe, 4 frames of tracks".
std::string targets_text(const Shot& shot) {
  const auto tracked = std::count_if(shot.keyframes.begin(), shot.keyframes.end(),
                                     [](const ShotKeyframe& keyframe) { return keyframe.track.has_value(); });
  const auto keyframes = static_cast<std::ptrdiff_t>(shot.keyframes.size()) - tracked;
  if (tracked == 0) return counted(keyframes, "keyframe");
  const std::string of_tracks = counted(tracked, "frame of tracks", "frames of tracks");
  return keyframes > 0 ? fmt::format("{}, {}", counted(keyframes, "keyframe"), of_tracks) : of_tracks;
}

void tell_beginning(const Scene& scene, const Shot& shot, const SearchMemory& memory,
                    const Continuation& before, RunListener& listener) {
  listener.info("{}: frames {}, {}, {} vertices, {} triangles, {}", scene.shot.name, shot.clock.frames.text(),
                counted(shot.clock.substeps, "substep"), shot.rest().vertex_count(),
                shot.rest().triangle_count(), targets_text(shot));
  for (const std::string& line : shot.covered) listener.info("weights: {}", line);
  listener.info("memory: {}", describe(memory));
  if (before.checkpoint) {
    const SearchState& state = before.checkpoint->search.state;
    if (state.windows)
      listener.info("resumed after window {}",
                    windows_kept(*state.windows, shot.options.forward_run_budget(shot.task().effort)));
    else
      listener.info("resumed after iteration {}", state.iteration);
  }
  if (before.first_guess && !before.checkpoint)
    listener.info("the scene has changed: a new search begins at the checkpoint's forces");
}

}  // namespace

void refuse_without_targets(const Scene& scene) {
  if (scene.keyframes.empty() && scene.tracks.empty())
    throw InputError(fmt::format(
        "{}: has no [[keyframe]] and no [[track]]; expected one or more to solve for; to simulate without, "
        "use keydrape simulate",
        scene.source.file));
  refuse_without_goal(scene);
}

SolvedRun solve_in_folder(const Scene& scene, const SolveOrder& order, RunListener& listener) {
  const Stopwatch total;
  refuse_without_targets(scene);
  const RunPlace place(scene, order.place, RunCommand::kSolve);
  refuse_to_replace_inputs(scene, place.path());
  Shot shot = open_shot(scene);
  add_doubts_of_read_runs(scene_files(scene), shot.warnings);
  check_differentiable(scene, shot.task(), shot.simulator());
  check_draped_anew(scene, shot.prepared);
  check_resumable(scene, shot.simulator());
  const SearchMemory memory = search_memory(scene, shot.prepared, shot.options);
  const SceneFingerprint fingerprint = scene_fingerprint(scene);
  if (order.report && order.live == RunningReport::Live::kYes) refuse_live_without_pages();
  const RunFolder folder = place.open();
  std::optional<ScratchFolder> scratch;
  const bool wants_scratch = scene.solver.scratch_gb > 0;
  if (wants_scratch && !scene.solver.scratch_dir.empty())
    scratch.emplace(scene.solver.scratch_dir, memory.scratch, memory.budget);
  Continuation before;
  if (folder.goes_on()) before = continue_from(folder, fingerprint, shot, order.place.earlier);
  const std::vector<std::string> link_warnings = place.begin(folder);
  if (wants_scratch && !scratch) scratch.emplace(folder.path(), memory.scratch, memory.budget);
  if (scratch) shot.options.scratch = &*scratch;
  listener.on_folder(folder);
  if (folder.goes_on()) listener.info("--resume: goes on with {}", folder.path().string());
  listener.warnings(link_warnings);
  listener.warnings(shot.warnings);
  tell_beginning(scene, shot, memory, before, listener);
  write_shot_record(scene, shot, folder);
  std::optional<RunningReport> report;
  if (order.report) report.emplace(folder, shot.clock.substeps, order.live, listener);
  if (before.first_guess) shot.options.first_guess = &*before.first_guess;
  const double opened_s = total.seconds();

  SearchFiles files(scene, shot, folder, fingerprint, before.checkpoint);
  SolveObserver observer(scene, shot, files, listener, report ? &*report : nullptr, order.one_window);
  std::optional<SearchCheckpoint> resume;  // moved: what the search has used of it takes memory no longer
  double before_s = 0.0;
  if (before.checkpoint) {
    before_s = seconds_until(before.checkpoint->search.state);
    resume = std::move(before.checkpoint->search);
  }
  SearchResult result = search(shot.prepared, shot.options, observer, std::move(resume));
  shot.options.scratch = nullptr;  // both end here, the shot does not
  shot.options.first_guess = nullptr;
  listener.on_computed();

  const Stopwatch writing;
  RunSummary summary = write_result(scene, shot, result, folder, listener);
  summary.memory = memory;
  summary.io_s = opened_s + files.seconds() + writing.seconds();
  summary.start_s = total.seconds();
  summary.total_s = summary.start_s + before_s;
  std::string json = summary_json(shot, result, summary, folder);
  write_file_atomically(folder / "summary.json", json);
  if (!result.summary.is_stopped()) {
    remove_first_guess(folder);
    if (!files.checkpointed_iteration()) folder.drop(kCheckpointFiles);  // that of another scene
    folder.drop(kLevelFiles);
  }
  tell_result(scene, shot, result, summary, listener);
  if (report) report->finish();
  return {folder.path(), std::move(shot), std::move(result), std::move(summary), std::move(json)};
}

}  // namespace keydrape
