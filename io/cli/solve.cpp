#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "core/base/error.h"
#include "io/cli/coarse_search.h"
#include "io/cli/commands.h"
#include "io/cli/console_text.h"
#include "io/cli/log.h"
#include "io/cli/memory.h"
#include "io/cli/obstacle.h"
#include "io/cli/running_report.h"
#include "io/cli/search.h"
#include "core/base/stopwatch.h"
#include "io/cli/window_search.h"
#include "io/file/file.h"
#include "io/run/channel_file.h"
#include "io/run/contact_file.h"
#include "io/run/run_outputs.h"
#include "io/run/scene_files.h"
#include "io/run/scene_fingerprint.h"
#include "io/run/shot_record.h"
#include "io/take/take_files.h"

namespace keydrape {
namespace {

EarlierRun earlier_run(const SolveArguments& arguments, const CommonOptions& options,
                       const std::filesystem::path& folder) {
  if (arguments.resume && std::filesystem::exists(folder / "checkpoint.json")) return EarlierRun::kContinue;
  return options.force ? EarlierRun::kReplace : EarlierRun::kRefuse;
}

RunStatus status_of(const SearchResult& result, const std::vector<KeyframeOutcome>& keyframes) {
  if (result.interrupted) return RunStatus::kInterrupted;
  if (!result.best) return RunStatus::kFailed;
  const bool all = std::all_of(keyframes.begin(), keyframes.end(), [](const auto& k) { return k.reached(); });
  return all ? RunStatus::kDone : RunStatus::kMissed;
}

ExitCode exit_code(RunStatus status) {
  switch (status) {
    case RunStatus::kMissed:
      return ExitCode::kMissed;
    case RunStatus::kFailed:
      return ExitCode::kFailed;
    case RunStatus::kInterrupted:
      return ExitCode::kInterrupted;
    case RunStatus::kDone:
      break;
  }
  return ExitCode::kDone;
}

// More than a shot can mean: 2 m within a frame at 24 fps take 235 g.
constexpr double kImplausiblePeak = 1000.0;  // [g]

void warn_of_implausible_forces(const ControlEffort& effort, Shot& shot) {
  if (!(effort.peak_g > kImplausiblePeak)) return;
  shot.warnings.push_back(fmt::format(
      "the forces reach {:.2g} g, more than a shot can mean: move the keyframes nearer to where the cloth "
      "can get, give it more time, or bound them by [control] max_acceleration",
      effort.peak_g));
  log_warnings({shot.warnings.back()});
}

// What targets leave open, as it was where the misses were measured: for the run's records.
void adapt_targets_as_measured(Shot& shot, const SearchPoint& best) {
  std::vector<int> states;
  for (const KeyframeMiss& miss : best.misses) states.push_back(miss.state);
  shot.objective().adapt_to(best.trajectory, states);
  take_over(shot.objective().keyframes(), shot.clock, shot.keyframes);
}

// The cloth without control as far as it comes: what there is to look at when it cannot be simulated.
void write_failed_run(const Shot& shot, const RunFolder& folder) {
  const Trajectory trajectory = rollout(shot.simulator(), shot.start(), NoForces(), shot.clock.step_count());
  if (trajectory.first_failure() < trajectory.step_count())
    spdlog::error("{}", failure_message(shot, trajectory));
  write_pc2(shot, trajectory, folder / "uncontrolled.pc2");
  write_steps_log(shot, trajectory, folder);
}

void log_result(const RunSummary& summary) {
  for (const std::string& line : keyframe_table(summary.keyframes)) spdlog::info("{}", line);
  const ShootingWork& work = summary.work;
  spdlog::info("control acceleration: peak {:.3g} g, RMS {:.3g} g", summary.effort.peak_g,
               summary.effort.rms_g);
  spdlog::info(
      "{} forward simulations, {} adjoint and {} tangent sweeps, {:.1f} Newton iterations and {:.1f} "
      "factorisations a step",
      work.forward_simulations, work.adjoint_sweeps, work.tangent_sweeps,
      static_cast<double>(work.newton_iterations) / std::max(1L, work.time_steps),
      static_cast<double>(work.factorizations) / std::max(1L, work.time_steps));
  spdlog::info("{:.1f} s: forward {:.1f}, adjoint {:.1f}, tangent {:.1f}, files {:.1f}", summary.total_s,
               work.forward_s, work.linearize_s + work.adjoint_s, work.tangent_s, summary.io_s);
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
  Shot shot = build_shot(scene);
  const EarlierRun earlier = earlier_run(arguments, options, path);
  const SearchMemory memory = search_memory(scene, shot);
  const SceneFingerprint fingerprint = scene_fingerprint(scene);
  const RunFolder folder(path, earlier);
  std::optional<Checkpoint> checkpoint;
  std::optional<SavedRun> first_guess;
  if (earlier == EarlierRun::kContinue) {
    checkpoint = read_checkpoint(folder, fingerprint, shot, options.force);
    if (checkpoint->scene != fingerprint) {
      first_guess = checkpoint->best ? std::move(*checkpoint->best) : std::move(checkpoint->at);
      checkpoint.reset();
      const RunFolder emptied(path, EarlierRun::kReplace);  // what is there belongs to another scene
    }
  }
  log_to_file(folder / "keydrape.log");
  log_warnings(shot.warnings);
  spdlog::info("{}: frames {}, {} substeps, {} vertices, {} triangles, {} keyframes", scene.shot.name,
               shot.clock.frames.text(), shot.clock.substeps, shot.rest().vertex_count(),
               shot.rest().triangle_count(), shot.keyframes.size());
  spdlog::info("memory: {}", describe(memory));
  if (checkpoint && checkpoint->windows)
    spdlog::info("resumed after window {}", checkpoint->windows->count);
  else if (checkpoint)
    spdlog::info("resumed after iteration {}", checkpoint->iteration);
  if (first_guess) spdlog::info("the scene has changed: a new search begins at the checkpoint's forces");
  write_shot_record(scene, shot, folder);
  std::optional<RunningReport> report;
  if (arguments.report)
    report.emplace(folder, shot.clock.substeps,
                   arguments.live ? RunningReport::Live::kYes : RunningReport::Live::kNo);
  const double opened_s = total.seconds();

  Progress progress(options.progress, options.quiet);
  const auto on_improvement = [&](const Trajectory& best) {
    if (report) report->refresh(best);
  };
  SearchArguments search_arguments{scene,       shot,   folder,   fingerprint,   checkpoint,
                                   first_guess, memory, progress, on_improvement};
  CoarseSearch coarser(search_arguments);
  if (!scene.control.coarse_to_fine.empty())
    search_arguments.search_coarser = [&coarser] { return coarser.run(); };
  const std::vector<FrameRange> windows = control_windows(scene.control, shot.clock.frames);
  const SearchResult result =
      windows.empty() ? search(search_arguments) : search_in_windows(search_arguments, windows);
  progress.clear();

  const Stopwatch writing;
  RunSummary summary;
  summary.work = result.work;
  summary.levels = result.levels;
  summary.memory = memory;
  if (result.best) {
    const SearchPoint& best = *result.best;
    summary.keyframes = keyframe_outcomes(shot, best.misses, result.uncontrolled);
    if (shot.channels()) {
      summary.channels = shot.channels()->values(shot.layout().channels(best.z));
      use_channels(shot, summary.channels);
      write_file_atomically(folder / kChannelsFile, channel_file(shot, summary.channels));
    }
    if (shot.objective().is_adaptive()) adapt_targets_as_measured(shot, best);
    const ControlForces forces(shot.layout(), best.z, shot.base());
    summary.effort = measure_effort(shot, forces);
    warn_of_implausible_forces(summary.effort, shot);
    write_cloth(scene, {shot, best.trajectory, forces}, folder, "controlled");
    if (scene.output.every_step.value_or(true)) write_every_step(shot, best.trajectory, folder);
    write_forces(scene, shot, forces, folder);
    write_steps_log(shot, best.trajectory, folder);
    write_contacts(shot, best.trajectory, folder);
    // Targets, channels and warnings are known now. After the take: it reads the scene's files again, which
    // may be gone.
    write_shot_record(scene, shot, folder);
    if (!result.interrupted) summary.obstacles = obstacles(scene, shot, result);
  }
  summary.status = status_of(result, summary.keyframes);
  if (summary.status == RunStatus::kFailed) write_failed_run(shot, folder);
  summary.io_s = opened_s + result.io_s + writing.seconds();
  summary.total_s = total.seconds();
  const std::string json = summary_json(shot, summary);
  write_file_atomically(folder / "summary.json", json);

  spdlog::info("{}: {}", word(summary.status), result.end);
  if (result.best) {
    log_result(summary);
    for (const std::string& line : summary.obstacles) spdlog::warn("{}", line);
  }
  if (report) report->finish();
  print_text(options.json ? json : folder.path().string() + "\n");
  return exit_code(summary.status);
}

}  // namespace keydrape
