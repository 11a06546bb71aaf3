#include "io/perform/solve_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "control/run/rollout.h"
#include "control/search/obstacles.h"
#include "io/file/counted.h"
#include "io/file/file.h"
#include "io/file/json_text.h"
#include "io/file/short_number.h"
#include "io/perform/motion_warnings.h"
#include "io/perform/obstacle_text.h"
#include "io/perform/pin_jumps.h"
#include "io/perform/result_text.h"
#include "io/run/channel_file.h"
#include "io/run/contact_file.h"
#include "io/run/run_outputs.h"
#include "io/run/shot_record.h"
#include "io/shot/reach_text.h"
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
  const bool is_met = keydrape::is_met(summary.end);
  if (is_met && scene.control.window)
    return summary.end == SearchEnd::kMet
               ? "every tolerance within [control] window is met"
               : "every tolerance within [control] window is met without any force";
  if (!summary.is_stopped()) {
    // Later iterations may have been dearer, or nearer in the mean alone.
    const int number = result.best ? result.best->record.iteration : RunRecord::kInNone;
    const bool is_earlier = number >= 0 && number + 1 < summary.iterations;
    const bool is_between = result.best && number == RunRecord::kInNone && summary.window_count == 0;
    return summary.sentence() +
           (is_met && summary.is_out_of_budget ? "; with more max_forward_simulations forces may get less"
                                               : "") +
           (is_earlier   ? fmt::format("; the result is that of iteration {}", number)
            : is_between ? "; the result is a run between the iterations"
                         : "");
  }
  if (summary.window_count > 0)
    return fmt::format("after {} of {} windows; --resume goes on", summary.windows_done,
                       summary.window_count);
  if (result.best) return "this is the best so far; --resume goes on";
  return summary.uncontrolled.empty() ? "in the first run" : "behind the first run, of which nothing is kept";
}

// The cloth as far as these forces take it, and why no further.
Trajectory run_until_failure(const Shot& shot, const ForceSchedule& forces, RunListener& listener) {
  Trajectory trajectory = rollout(shot.simulator(), shot.start(), forces, shot.clock.step_count());
  if (trajectory.first_failure() < trajectory.step_count())
    listener.error("{}", failure_message(shot, trajectory));
  return trajectory;
}

// The cloth without control as far as it comes: what there is to look at when it cannot be simulated.
// Returns how many frames it came.
int write_failed_run(const Shot& shot, const RunFolder& folder, RunListener& listener) {
  const Trajectory trajectory = run_until_failure(shot, NoForces(), listener);
  write_pc2(shot, trajectory, folder / "uncontrolled.pc2");
  write_steps_log(shot, trajectory, folder);
  return complete_frame_count(shot, trajectory);
}

// Figures of a take with these unknowns.
void measure_take(const Shot& shot, const Trajectory& trajectory, const VecX& z, RunSummary& summary) {
  summary.effort = measure_forces(shot, ControlForces(shot.layout(), z, shot.base()));
  if (shot.base()) summary.added = measure_forces(shot, ControlForces(shot.layout(), z));
  summary.frames_done = complete_frame_count(shot, trajectory);
  summary.fastest = fastest_vertex(trajectory);
  if (leaves_residuals(shot.simulator())) summary.draft = draft_figures(trajectory);
  summary.crossings = crossing_figures(shot, trajectory);
}

void write_take(const Scene& scene, const Run& take, const RunFolder& folder) {
  const auto& [shot, trajectory, forces] = take;
  write_cloth(scene, take, folder, "controlled");
  write_every_step(scene.output.every_step.value_or(true), shot, trajectory, folder);
  write_forces(scene, shot, forces, folder);
  write_steps_log(shot, trajectory, folder);
  write_contacts(shot, trajectory, folder);
}

// The windows that were done before one failed: a take like any other, but for its last frames.
void write_windows_done(const Scene& scene, const Shot& shot, const SearchResult& result,
                        const RunFolder& folder, RunSummary& summary, RunListener& listener) {
  const VecX& z = *result.z_of_windows;
  const ControlForces forces(shot.layout(), z, shot.base());
  const Trajectory trajectory = run_until_failure(shot, forces, listener);
  summary.keyframes = outcomes_so_far(shot, trajectory);
  for (KeyframeOutcome& keyframe : summary.keyframes)
    keyframe.uncontrolled_rms = result.summary.uncontrolled[static_cast<std::size_t>(keyframe.number)].rms;
  measure_take(shot, trajectory, z, summary);
  write_take(scene, {shot, trajectory, forces}, folder);
}

// The files of the best run. Targets, channels and warnings are known now, and the shot's record is written
// anew; after the take, since it reads the scene's files again, which may be gone.
void write_best_run(const Scene& scene, Shot& shot, const SearchPoint& best, const RunFolder& folder,
                    RunSummary& summary, RunListener& listener) {
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
  measure_take(shot, best.trajectory, best.z, summary);
  std::vector<std::string> warnings = motion_warnings(shot, best, forces, summary);
  for (const PinJump& jump : find_pin_jumps(scene, shot, best.trajectory))
    warnings.push_back(pin_jump_warning(shot, jump));
  listener.warnings(warnings);
  shot.warnings.insert(shot.warnings.end(), warnings.begin(), warnings.end());
  write_take(scene, {shot, best.trajectory, forces}, folder);
  write_shot_record(scene, shot, folder);
}

void tell_run(const Shot& shot, const RunSummary& summary, RunListener& listener) {
  const std::string_view unforced = summary.added ? "accepted take" : "uncontrolled";
  for (const std::string& line : keyframe_table(summary.keyframes, unforced)) listener.info("{}", line);
  const ShootingWork& work = summary.work;
  if (shot.has_forces()) {
    const ForceFigures& effort = summary.effort;
    listener.info("control acceleration: peak {} g, RMS {} g{}", short_number(effort.peak_g),
                  short_number(effort.rms_g),
                  effort.peak_g > 0.0 ? fmt::format("; largest frame {} times the mean",
                                                    short_number(effort.largest_over_mean(), 2))
                                      : "");
  }
  if (shot.channels()) listener.info("channels: what they came to is in {}", kChannelsFile);
  if (summary.added)
    listener.info("of it added to the take of relative_to: peak {} g, RMS {} g",
                  short_number(summary.added->peak_g), short_number(summary.added->rms_g));
  if (summary.crossings) listener.info("{}", crossings_text(*summary.crossings));
  if (summary.uncontrolled_fastest.speed > 0.0)
    listener.info("fastest: {}, {} m/s in frame {}; {} {} m/s",
                  vertex_in_words(shot.rest(), summary.fastest.vertex), short_number(summary.fastest.speed),
                  shot.clock.frame_of_step(summary.fastest.state - 1),
                  summary.added ? "in the accepted take" : "without control",
                  short_number(summary.uncontrolled_fastest.speed));
  listener.info(
      "{}, {} adjoint and {} tangent sweeps, {:.1f} Newton iterations and {:.1f} "
      "factorisations a step",
      counted(work.forward_simulations, "forward simulation"), work.adjoint_sweeps, work.tangent_sweeps,
      static_cast<double>(work.newton_iterations) / std::max(1L, work.time_steps),
      static_cast<double>(work.factorizations) / std::max(1L, work.time_steps));
  listener.info("{}: forward {:.1f}, adjoint {:.1f}, tangent {:.1f}, files {:.1f}", time_text(summary),
                work.forward_s, work.linearize_s + work.adjoint_s, work.tangent_s, summary.io_s);
}

}  // namespace

RunSummary write_result(const Scene& scene, Shot& shot, const SearchResult& result, const RunFolder& folder,
                        RunListener& listener) {
  RunSummary summary;
  summary.work = result.summary.work;
  summary.levels = result.summary.levels;
  summary.uncontrolled_fastest = result.summary.uncontrolled_fastest;
  summary.status = status_of(result);
  if (result.best) {
    summary.keyframes = keyframe_outcomes(shot, result.best->misses, result.summary.uncontrolled);
    find_behind_misses(shot, result.best->trajectory, summary.keyframes);
    write_best_run(scene, shot, *result.best, folder, summary, listener);
    if (!result.summary.is_stopped())
      summary.obstacles =
          obstacle_sentences(scene, shot, find_obstacles(shot.prepared, shot.options, result));
  }
  if (summary.status == RunStatus::kFailed && result.z_of_windows)
    write_windows_done(scene, shot, result, folder, summary, listener);
  else if (summary.status == RunStatus::kFailed)
    summary.frames_done = write_failed_run(shot, folder, listener);
  return summary;
}

std::string summary_json(const Shot& shot, const SearchResult& result, const RunSummary& summary,
                         const RunFolder& folder) {
  std::string json = summary_json(shot, summary);
  const std::filesystem::path file = folder / "summary.json";
  if (result.best || summary.status != RunStatus::kInterrupted || !std::filesystem::exists(file)) return json;
  const auto before = json_if_any(read_file(file));
  const bool has_take = before.is_object() && before.contains("frames_done") && before["frames_done"] != 0;
  if (!has_take) return json;
  auto now = parse_json(json);
  for (const char* key :
       {"keyframes", "tracks", "effort", "motion", "frames_done", "draft", "start_crossings", "channels"})
    if (before.contains(key)) now[key] = before[key];
  return json_text(now, 2) + "\n";
}

void tell_result(const Scene& scene, const Shot& shot, const SearchResult& result, const RunSummary& summary,
                 RunListener& listener) {
  listener.info("{}: {}", word(summary.status), end_text(scene, result));
  if (result.z_of_windows)
    listener.info("the take of the windows before is written, as far as it can be simulated");
  if (!result.best) return;
  tell_run(shot, summary, listener);
  for (const std::string& line : bare_surface_sentences(summary.keyframes))
    listener.on_text(LogLevel::kWarning, line);
  for (const std::string& line : summary.obstacles) listener.on_text(LogLevel::kWarning, line);
}

}  // namespace keydrape
