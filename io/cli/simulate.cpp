#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "control/trajectory.h"
#include "core/error.h"
#include "io/channel_file.h"
#include "io/cli/commands.h"
#include "io/cli/log.h"
#include "io/cli/report.h"
#include "io/cli/stopwatch.h"
#include "io/contact_file.h"
#include "io/file.h"
#include "io/interrupt.h"
#include "io/recorded_take.h"
#include "io/run_outputs.h"
#include "io/scene_files.h"
#include "io/shot_record.h"

namespace keydrape {
namespace {

std::unique_ptr<ForceSchedule> open_forces(const Shot& shot, const SimulateArguments& arguments,
                                           const std::filesystem::path& channels) {
  const bool is_take = !arguments.along.empty();
  const std::filesystem::path path =
      arguments.forces.empty() && is_take ? forces_of_take(arguments.along) : arguments.forces;
  std::unique_ptr<ForceSchedule> forces = std::make_unique<NoForces>();
  if (!path.empty()) {
    const std::filesystem::path beside = path.parent_path() / kChannelsFile;
    if (channels.empty() && std::filesystem::exists(beside)) {
      throw InputError(
          fmt::format("{}: these forces were found together with the channels beside them, and without those "
                      "they are another take; add --channels {}",
                      path.string(), beside.string()));
    }
    forces = std::make_unique<RecordedForces>(shot, path);
  }
  if (!is_take) return forces;
  return std::make_unique<RecordedTake>(std::move(forces), read_take_positions(shot, arguments.along));
}

// What is repeated must not lie where the repetition goes.
void refuse_to_replace_take(const SimulateArguments& arguments, const std::filesystem::path& folder) {
  std::vector<std::pair<std::string_view, std::filesystem::path>> files = {
      {"--forces", arguments.forces}, {"--channels", arguments.channels}};
  if (!arguments.along.empty()) files.emplace_back("--along", arguments.along / kStepsFile);
  for (const auto& [option, file] : files)
    if (!file.empty() && is_result_of_run_in(folder, file))
      throw InputError(fmt::format(
          "{}: {}: found it in the output folder {}, where this run would replace it; keep it elsewhere, "
          "or choose another output folder (-o)",
          file.string(), option, folder.string()));
}

// A rollout that an interrupt ends early.
Trajectory run(const Shot& shot, const ForceSchedule& forces, Progress& progress) {
  const int steps = shot.clock.step_count();
  const auto observe = [&](int n, const StepReport&) {
    progress.update((n + 1.0) / steps,
                    fmt::format("frame {} of {}", shot.clock.frame_of_step(n), shot.clock.frames.last));
    return !interrupt_requested();
  };
  Trajectory trajectory = rollout(*shot.simulator, shot.start, forces, steps, observe);
  progress.clear();
  return trajectory;
}

void log_repetition(const Trajectory& trajectory) {
  const int steps = trajectory.step_count();
  spdlog::info("{} of {} time steps end where the take says, to the bit", trajectory.taken_steps, steps);
  if (trajectory.taken_steps < steps)
    spdlog::warn(
        "time step {} of the take does not solve the equation of motion here, and the rest was solved anew: "
        "the scene or the forces are not those that it was made with",
        trajectory.taken_steps + 1);
}

RunStatus status_of(const Shot& shot, const Trajectory& trajectory) {
  if (trajectory.first_failure() < trajectory.step_count()) return RunStatus::kFailed;
  return trajectory.step_count() < shot.clock.step_count() ? RunStatus::kInterrupted : RunStatus::kDone;
}

RunSummary summarize(const Shot& shot, const Trajectory& trajectory, const ForceSchedule& forces) {
  RunSummary summary;
  summary.status = status_of(shot, trajectory);
  for (const ShotKeyframe& keyframe : shot.keyframes) {
    const std::vector<int>& candidates = keyframe.goal.candidates;
    if (std::max(keyframe.goal.state, candidates.empty() ? 0 : candidates.back()) >
        trajectory.first_failure())
      continue;
    const KeyframeMiss miss = measure_miss(keyframe.goal, [&](int n) { return trajectory.states[n]; });
    summary.keyframes.push_back({frame_of(shot, miss), miss, miss.rms, keyframe.tolerance,
                                 keyframe.velocity_tolerance, keyframe.track, keyframe.window,
                                 keyframe.goal.goal});
  }
  summary.effort = measure_effort(shot, forces);
  summary.work.forward_simulations = 1;
  summary.work.time_steps = trajectory.step_count();
  for (int n = 0; n < trajectory.step_count(); ++n) {
    summary.work.newton_iterations += trajectory.reports[n].iterations;
    summary.work.factorizations += trajectory.reports[n].factorizations;
    summary.work.forward_s += trajectory.seconds[n];
  }
  summary.work.trajectory_bytes = trajectory.states.size() * 2 * sizeof(double) * shot.start.x.size();
  return summary;
}

ExitCode exit_code(RunStatus status) {
  switch (status) {
    case RunStatus::kFailed:
      return ExitCode::kFailed;
    case RunStatus::kInterrupted:
      return ExitCode::kInterrupted;
    case RunStatus::kDone:
    case RunStatus::kMissed:
      break;
  }
  return ExitCode::kDone;
}

}  // namespace

ExitCode simulate(const SimulateArguments& arguments, const CommonOptions& options) {
  const Stopwatch total;
  const Scene scene = read_scene(arguments.scene);
  if (arguments.dry_run) return dry_run(scene, DryRun::kSimulate, options);
  const std::filesystem::path path = arguments.folder.empty() ? scene.output.dir : arguments.folder;
  refuse_to_replace_inputs(scene, path);
  refuse_to_replace_take(arguments, path);
  Shot shot = build_shot(scene);
  std::filesystem::path channels_file = arguments.channels;
  if (!arguments.along.empty() && channels_file.empty() &&
      std::filesystem::exists(arguments.along / kChannelsFile))
    channels_file = arguments.along / kChannelsFile;
  const std::unique_ptr<ForceSchedule> forces = open_forces(shot, arguments, channels_file);
  std::vector<VecX> channels;
  if (!channels_file.empty()) {
    channels = read_channels(channels_file, shot);
    use_channels(shot, channels);
  }
  const RunFolder folder(path, options.force ? EarlierRun::kReplace : EarlierRun::kRefuse);
  log_to_file(folder / "keydrape.log");
  log_warnings(shot.warnings);
  spdlog::info("{}: frames {}, {} substeps, {} vertices, {} triangles", scene.shot.name,
               shot.clock.frames.text(), shot.clock.substeps, shot.rest.vertex_count(),
               shot.rest.triangle_count());
  write_shot_record(scene, shot, folder);
  const double opened_s = total.seconds();

  Progress progress(options.progress, options.quiet);
  const Trajectory trajectory = run(shot, *forces, progress);
  if (!arguments.along.empty()) log_repetition(trajectory);
  RunSummary summary = summarize(shot, trajectory, *forces);
  summary.channels = channels;
  if (summary.status == RunStatus::kFailed) spdlog::error("{}", failure_message(shot, trajectory));

  const Stopwatch writing;
  if (shot.objective->is_adaptive() && summary.status == RunStatus::kDone) {
    adapt_targets(shot, trajectory);
    write_shot_record(scene, shot, folder);
  }
  write_cloth(scene, {shot, trajectory, *forces}, folder, "simulated");
  if (scene.output.every_step.value_or(false)) write_every_step(shot, trajectory, folder);
  write_steps_log(shot, trajectory, folder);
  write_contacts(shot, trajectory, folder);
  summary.io_s = opened_s + writing.seconds();
  summary.total_s = total.seconds();
  const std::string json = summary_json(shot, summary);
  write_file_atomically(folder / "summary.json", json);
  spdlog::info("{}: {} of {} frames in {:.1f} s, {:.1f} Newton iterations a step", word(summary.status),
               complete_frame_count(shot, trajectory), shot.clock.frames.count(), summary.total_s,
               static_cast<double>(summary.work.newton_iterations) / trajectory.step_count());
  print_text(options.json ? json : folder.path().string() + "\n");
  return exit_code(summary.status);
}

}  // namespace keydrape
