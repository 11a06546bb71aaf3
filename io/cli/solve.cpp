#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "control/run/rollout.h"
#include "control/search/search.h"
#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "io/cli/commands.h"
#include "io/cli/console_text.h"
#include "io/cli/log.h"
#include "io/cli/memory.h"
#include "io/cli/obstacle_text.h"
#include "io/cli/running_report.h"
#include "io/cli/solve_observer.h"
#include "io/file/file.h"
#include "io/run/channel_file.h"
#include "io/run/contact_file.h"
#include "io/run/run_outputs.h"
#include "io/run/scene_files.h"
#include "io/run/scene_fingerprint.h"
#include "io/run/scratch_folder.h"
#include "io/run/search_files.h"
#include "io/run/shot_record.h"
#include "io/shot/control.h"
#include "io/take/take_files.h"

namespace keydrape {
namespace {

RunStatus status_of(const SearchResult& result) {
  if (result.summary.is_stopped()) return RunStatus::kInterrupted;
  if (!result.best) return RunStatus::kFailed;
  return result.reached() ? RunStatus::kDone : RunStatus::kMissed;
}

// Why the search ended, in the scene's words.
std::string end_text(const Scene& scene, const SearchResult& result) {
  const SearchSummary& summary = result.summary;
  const bool is_met = summary.end == SearchEnd::kMet || summary.end == SearchEnd::kMetWithoutForces;
  if (is_met && scene.control.window)
    return summary.end == SearchEnd::kMet
               ? "every tolerance within [control] window is met"
               : "every tolerance within [control] window is met without any force";
  if (!summary.is_stopped()) return summary.sentence();
  if (summary.window_count > 0)
    return fmt::format("after {} of {} windows; --resume goes on", summary.windows_done,
                       summary.window_count);
  return result.best ? "this is the best so far; --resume goes on" : "in the first run";
}

// More than a shot can mean: 2 m within a frame at 24 fps take 235 g.
constexpr double kImplausiblePeak = 1000.0;  // [g]

void warn_of_implausible_forces(const ForceFigures& effort, Shot& shot) {
  if (!(effort.peak_g > kImplausiblePeak)) return;
  shot.warnings.push_back(fmt::format(
      "the forces reach {:.2g} g, more than a shot can mean: move the keyframes nearer to where the cloth "
      "can get, give it more time, or bound them by [control] max_acceleration",
      effort.peak_g));
  log_warnings({shot.warnings.back()});
}

// From here on cloth may look snatched into its pose: the flag, which did, had 4.4; the examples that ask for
// tolerances have 1.4 to 2.6 (control/measurements/starts.md).
constexpr double kUneven = 3.0;  // RMS of the largest frame over the mean of all

void warn_of_uneven_forces(const ForceFigures& effort, Shot& shot) {
  if (!(effort.largest_over_mean() > kUneven)) return;
  const int frame = shot.clock.frames.first + effort.largest_interval;
  int next = std::numeric_limits<int>::max();  // the keyframe that they are for; they are in no order
  for (const ShotKeyframe& keyframe : shot.keyframes)
    if (keyframe.frame > frame) next = std::min(next, keyframe.frame);
  const std::string_view remedy =
      shot.task().effort.automatic
          ? "raise smooth_time in [control], or give the cloth more time to get there"
          : "name a tolerance and leave effort out, or raise effort or smooth_time";
  shot.warnings.push_back(fmt::format(
      "the forces of frame {} are {:.1f} times those of a mean frame{}: cloth may look snatched into its "
      "pose; {}",
      frame, effort.largest_over_mean(),
      next < std::numeric_limits<int>::max() ? fmt::format(", before the keyframe of frame {}", next) : "",
      remedy));
  log_warnings({shot.warnings.back()});
}

// The cloth without control as far as it comes: what there is to look at when it cannot be simulated.
void write_failed_run(const Shot& shot, const RunFolder& folder) {
  const Trajectory trajectory = rollout(shot.simulator(), shot.start(), NoForces(), shot.clock.step_count());
  if (trajectory.first_failure() < trajectory.step_count())
    log_error("{}", failure_message(shot, trajectory));
  write_pc2(shot, trajectory, folder / "uncontrolled.pc2");
  write_steps_log(shot, trajectory, folder);
}

void log_result(const RunSummary& summary) {
  for (const std::string& line : keyframe_table(summary.keyframes)) log_info("{}", line);
  const ShootingWork& work = summary.work;
  log_info("control acceleration: peak {:.3g} g, RMS {:.3g} g; largest frame {:.2g} times the mean",
           summary.effort.peak_g, summary.effort.rms_g, summary.effort.largest_over_mean());
  if (summary.uncontrolled_fastest.speed > 0.0)
    log_info("fastest vertex {}: {:.3g} m/s, without control {:.3g}", summary.fastest.vertex,
             summary.fastest.speed, summary.uncontrolled_fastest.speed);
  log_info(
      "{} forward simulations, {} adjoint and {} tangent sweeps, {:.1f} Newton iterations and {:.1f} "
      "factorisations a step",
      work.forward_simulations, work.adjoint_sweeps, work.tangent_sweeps,
      static_cast<double>(work.newton_iterations) / std::max(1L, work.time_steps),
      static_cast<double>(work.factorizations) / std::max(1L, work.time_steps));
  log_info("{:.1f} s: forward {:.1f}, adjoint {:.1f}, tangent {:.1f}, files {:.1f}", summary.total_s,
           work.forward_s, work.linearize_s + work.adjoint_s, work.tangent_s, summary.io_s);
}

// Where the results of an earlier search are, and what of it a new one goes on from or begins with.
struct Continuation {
  std::optional<Checkpoint> checkpoint;  // of this scene
  std::optional<SavedRun> first_guess;   // of another one
};

// Empties the folder where what is there belongs to another scene.
Continuation continue_from(const RunFolder& folder, const SceneFingerprint& fingerprint, const Shot& shot,
                           const CommonOptions& options) {
  Continuation before;
  before.checkpoint = read_checkpoint(folder, fingerprint, shot,
                                      options.force ? CheckpointOf::kAnyScene : CheckpointOf::kThisScene);
  if (before.checkpoint->scene == fingerprint) return before;
  SearchCheckpoint& search = before.checkpoint->search;
  before.first_guess = search.best ? std::move(*search.best) : std::move(search.at);
  before.checkpoint.reset();
  const RunFolder emptied(folder.path(), EarlierRun::kReplace);
  return before;
}

void log_beginning(const Scene& scene, const Shot& shot, const SearchMemory& memory,
                   const Continuation& before) {
  log_info("{}: frames {}, {} substeps, {} vertices, {} triangles, {} keyframes", scene.shot.name,
           shot.clock.frames.text(), shot.clock.substeps, shot.rest().vertex_count(),
           shot.rest().triangle_count(), shot.keyframes.size());
  log_info("memory: {}", describe(memory));
  if (before.checkpoint) {
    const SearchState& state = before.checkpoint->search.state;
    if (state.windows)
      log_info("resumed after window {}", state.windows->count);
    else
      log_info("resumed after iteration {}", state.iteration);
  }
  if (before.first_guess) log_info("the scene has changed: a new search begins at the checkpoint's forces");
}

// The files of the best run. Targets, channels and warnings are known now, and the shot's record is written
// anew; after the take, since it reads the scene's files again, which may be gone.
void write_best_run(const Scene& scene, Shot& shot, const SearchPoint& best, const RunFolder& folder,
                    RunSummary& summary) {
  if (shot.channels()) {
    summary.channels = shot.channels()->values(shot.layout().channels(best.z));
    use_channels(shot, summary.channels);
    write_file_atomically(folder / kChannelsFile, channel_file(shot, summary.channels));
  }
  if (shot.objective().first_goal()->is_adaptive()) {
    std::vector<int> states;
    for (const KeyframeMiss& miss : best.misses) states.push_back(miss.state);
    adapt_targets(shot, best.trajectory, states);
  }
  const ControlForces forces(shot.layout(), best.z, shot.base());
  summary.effort = measure_forces(shot, forces);
  summary.fastest = fastest_vertex(best.trajectory);
  if (shot.simulator().is_linearized()) summary.draft = draft_figures(best.trajectory);
  warn_of_implausible_forces(summary.effort, shot);
  warn_of_uneven_forces(summary.effort, shot);
  write_cloth(scene, {shot, best.trajectory, forces}, folder, "controlled");
  if (scene.output.every_step.value_or(true)) write_every_step(shot, best.trajectory, folder);
  write_forces(scene, shot, forces, folder);
  write_steps_log(shot, best.trajectory, folder);
  write_contacts(shot, best.trajectory, folder);
  write_shot_record(scene, shot, folder);
}

// What the search found, as files and as a summary.
RunSummary write_result(const Scene& scene, Shot& shot, const SearchResult& result, const RunFolder& folder) {
  RunSummary summary;
  summary.work = result.summary.work;
  summary.levels = result.summary.levels;
  summary.uncontrolled_fastest = result.summary.uncontrolled_fastest;
  summary.status = status_of(result);
  if (result.best) {
    summary.keyframes = keyframe_outcomes(shot, result.best->misses, result.summary.uncontrolled);
    find_far_vertices(shot, result.best->trajectory, summary.keyframes);
    write_best_run(scene, shot, *result.best, folder, summary);
    if (!result.summary.is_stopped())
      summary.obstacles =
          obstacle_sentences(scene, shot, find_obstacles(shot.prepared, shot.options, result));
  }
  if (summary.status == RunStatus::kFailed) write_failed_run(shot, folder);
  return summary;
}

}  // namespace

ExitCode solve(const SolveArguments& arguments, const CommonOptions& options) {
  const Stopwatch total;
  const Scene scene = read_scene(arguments.scene);
  if (scene.keyframes.empty() && scene.tracks.empty()) {
    throw InputError(fmt::format(
        "{}: has no [[keyframe]] and no [[track]]; expected one or more to solve for; to simulate without, "
        "use keydrape simulate",
        arguments.scene.string()));
  }
  if (arguments.dry_run) return dry_run(scene, DryRun::kSolve, options);
  const std::filesystem::path path = arguments.folder.empty() ? scene.output.dir : arguments.folder;
  refuse_to_replace_inputs(scene, path);
  Shot shot = open_shot(scene);
  check_differentiable(scene, shot.task(), shot.simulator());
  const bool goes_on = arguments.resume && std::filesystem::exists(path / "checkpoint.json");
  const SearchMemory memory = search_memory(scene, shot);
  const SceneFingerprint fingerprint = scene_fingerprint(scene);
  const RunFolder folder(path, goes_on ? EarlierRun::kContinue : options.earlier_run());
  Continuation before;
  if (goes_on) before = continue_from(folder, fingerprint, shot, options);
  log_to_file(folder / "keydrape.log");
  log_warnings(shot.warnings);
  log_beginning(scene, shot, memory, before);
  write_shot_record(scene, shot, folder);
  std::optional<RunningReport> report;
  if (arguments.report)
    report.emplace(folder, shot.clock.substeps,
                   arguments.live ? RunningReport::Live::kYes : RunningReport::Live::kNo);
  std::optional<ScratchFolder> scratch;
  if (scene.solver.scratch_gb > 0)
    shot.options.scratch =
        &scratch.emplace(scene.solver.scratch_dir.empty() ? folder.path() : scene.solver.scratch_dir,
                         memory.scratch, memory.budget);
  if (before.first_guess) shot.options.first_guess = &*before.first_guess;
  const double opened_s = total.seconds();

  Progress progress(options.progress, options.quiet);
  SearchFiles files(scene, shot, folder, fingerprint, before.checkpoint);
  SolveObserver observer(scene, shot, files, progress, report ? &*report : nullptr, arguments.one_window);
  const SearchResult result =
      search(shot.prepared, shot.options, observer, before.checkpoint ? &before.checkpoint->search : nullptr);
  progress.clear();

  const Stopwatch writing;
  RunSummary summary = write_result(scene, shot, result, folder);
  summary.memory = memory;
  summary.io_s = opened_s + files.seconds() + writing.seconds();
  summary.total_s = total.seconds();
  const std::string json = summary_json(shot, summary);
  write_file_atomically(folder / "summary.json", json);

  log_info("{}: {}", word(summary.status), end_text(scene, result));
  if (result.best) {
    log_result(summary);
    for (const std::string& line : summary.obstacles) log_warning("{}", line);
  }
  if (report) report->finish();
  print_text(options.json ? json : folder.path().string() + "\n");
  return exit_code(summary.status);
}

}  // namespace keydrape
