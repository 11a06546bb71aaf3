#include "io/perform/solve_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "control/run/rollout.h"
#include "control/search/obstacles.h"
#include "io/file/file.h"
#include "io/file/short_number.h"
#include "io/perform/obstacle_text.h"
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
  const bool is_met = summary.end == SearchEnd::kMet || summary.end == SearchEnd::kMetWithoutForces;
  if (is_met && scene.control.window)
    return summary.end == SearchEnd::kMet
               ? "every tolerance within [control] window is met"
               : "every tolerance within [control] window is met without any force";
  if (!summary.is_stopped()) {
    // Later iterations may have been dearer, or nearer in the mean alone.
    const int number = result.best ? result.best->record.iteration : RunRecord::kInNone;
    const bool is_earlier = number >= 0 && number + 1 < summary.iterations;
    return summary.sentence() +
           (is_met && summary.is_out_of_budget ? "; with more forward runs the forces may get less" : "") +
           (is_earlier ? fmt::format("; the result is that of iteration {}", number) : "");
  }
  if (summary.window_count > 0)
    return fmt::format("after {} of {} windows; --resume goes on", summary.windows_done,
                       summary.window_count);
  return result.best ? "this is the best so far; --resume goes on" : "in the first run";
}

void warn_of_implausible_forces(const ForceFigures& effort, Shot& shot, RunListener& listener) {
  if (!(effort.peak_g > kImplausiblePeak)) return;
  shot.warnings.push_back(fmt::format(
      "the forces reach {} g, more than a shot can mean: move the keyframes nearer to where the cloth "
      "can get, give it more time, or bound them by [control] max_acceleration",
      short_number(effort.peak_g, 2)));
  listener.on_text(LogLevel::kWarning, shot.warnings.back());
}

// From here on cloth may look snatched into its pose: the flag, which did, had 4.4; the examples that ask for
// tolerances have 1.4 to 2.6 (control/measurements/starts.md).
constexpr double kUneven = 3.0;  // RMS of the largest frame over the mean of all

void warn_of_uneven_forces(const ForceFigures& effort, Shot& shot, RunListener& listener) {
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
  listener.on_text(LogLevel::kWarning, shot.warnings.back());
}

// So many frames before a target count as its arrival. A vertex is snatched into it that is so many times as
// fast as the cloth is anywhere without control, and as the straight way there asks for in the mean: cloth
// that is brought somewhere from rest by the least forces arrives 1.5 times as fast as that, in smooth shots
// up to 2.1 times.
constexpr int kArrivalFrames = 4;
constexpr double kFaster = 1.5, kFasterThanItsWay = 2.5;

struct Snatch {
  double times = 0.0;  // as fast as the fastest without control; 0: nothing is snatched
  double speed = 0.0;  // [m/s]
  int vertex = -1;
  std::size_t keyframe = 0;
  int state = 0;  // at the end of that step
};

// The worst.
Snatch find_snatch(const Shot& shot, const SearchPoint& best, double free_speed) {
  Snatch worst;
  if (!(free_speed > 0.0)) return worst;
  for (std::size_t k = 0; k < shot.keyframes.size(); ++k) {
    const int state = best.misses[k].state;
    const double bound = std::max(kFaster * free_speed, kFasterThanItsWay * shot.reach[k].way.fastest);
    for (int n = std::max(1, state - kArrivalFrames * shot.clock.substeps + 1); n <= state; ++n) {
      const VecX& v = best.trajectory.states[n].v;
      Eigen::Index vertex = 0;
      const double speed = v.reshaped(3, v.size() / 3).colwise().norm().maxCoeff(&vertex);
      if (speed > std::max(bound, worst.speed))
        worst = {speed / free_speed, speed, static_cast<int>(vertex), k, n};
    }
  }
  return worst;
}

void warn_of_snatch(const Snatch& snatch, std::string_view unforced, Shot& shot, RunListener& listener) {
  if (snatch.vertex < 0) return;
  const int substeps = shot.clock.substeps;
  const int frame = shot.clock.frames.first + (snatch.state + substeps - 1) / substeps;  // that it ends in
  shot.warnings.push_back(fmt::format(
      "{} is snatched into frame {}: {} m/s in frame {}, {} times the fastest {}; raise smooth_time "
      "in [control], give it more time, or look whether the pose asks for a corner that the cloth "
      "does not bring there",
      vertex_in_words(shot.rest(), snatch.vertex), shot.keyframes[snatch.keyframe].frame,
      short_number(snatch.speed), frame, short_number(snatch.times, 2), unforced));
  listener.on_text(LogLevel::kWarning, shot.warnings.back());
}

// The cloth without control as far as it comes: what there is to look at when it cannot be simulated.
// Returns how many frames it came.
int write_failed_run(const Shot& shot, const RunFolder& folder, RunListener& listener) {
  const Trajectory trajectory = rollout(shot.simulator(), shot.start(), NoForces(), shot.clock.step_count());
  if (trajectory.first_failure() < trajectory.step_count())
    listener.error("{}", failure_message(shot, trajectory));
  write_pc2(shot, trajectory, folder / "uncontrolled.pc2");
  write_steps_log(shot, trajectory, folder);
  return complete_frame_count(shot, trajectory);
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
  summary.effort = measure_forces(shot, forces);
  if (shot.base()) summary.added = measure_forces(shot, ControlForces(shot.layout(), best.z));
  summary.frames_done = complete_frame_count(shot, best.trajectory);
  summary.fastest = fastest_vertex(best.trajectory);
  if (leaves_residuals(shot.simulator())) summary.draft = draft_figures(best.trajectory);
  summary.crossings = crossing_figures(shot, best.trajectory);
  warn_of_implausible_forces(summary.effort, shot, listener);
  warn_of_uneven_forces(summary.effort, shot, listener);
  warn_of_snatch(find_snatch(shot, best, summary.uncontrolled_fastest.speed),
                 summary.added ? "in the accepted take" : "without control", shot, listener);
  write_cloth(scene, {shot, best.trajectory, forces}, folder, "controlled");
  if (scene.output.every_step.value_or(true)) write_every_step(shot, best.trajectory, folder);
  write_forces(scene, shot, forces, folder);
  write_steps_log(shot, best.trajectory, folder);
  write_contacts(shot, best.trajectory, folder);
  write_shot_record(scene, shot, folder);
}

void tell_run(const RunSummary& summary, RunListener& listener) {
  const std::string_view unforced = summary.added ? "accepted take" : "uncontrolled";
  for (const std::string& line : keyframe_table(summary.keyframes, unforced)) listener.info("{}", line);
  const ShootingWork& work = summary.work;
  listener.info("control acceleration: peak {} g, RMS {} g; largest frame {} times the mean",
                short_number(summary.effort.peak_g), short_number(summary.effort.rms_g),
                short_number(summary.effort.largest_over_mean(), 2));
  if (summary.added)
    listener.info("of it added to the take of relative_to: peak {} g, RMS {} g",
                  short_number(summary.added->peak_g), short_number(summary.added->rms_g));
  if (summary.crossings) listener.info("{}", crossings_text(*summary.crossings));
  if (summary.uncontrolled_fastest.speed > 0.0)
    listener.info("fastest vertex {}: {} m/s, {} {}", summary.fastest.vertex,
                  short_number(summary.fastest.speed),
                  summary.added ? "in the accepted take" : "without control",
                  short_number(summary.uncontrolled_fastest.speed));
  listener.info(
      "{} forward simulations, {} adjoint and {} tangent sweeps, {:.1f} Newton iterations and {:.1f} "
      "factorisations a step",
      work.forward_simulations, work.adjoint_sweeps, work.tangent_sweeps,
      static_cast<double>(work.newton_iterations) / std::max(1L, work.time_steps),
      static_cast<double>(work.factorizations) / std::max(1L, work.time_steps));
  listener.info("{:.1f} s: forward {:.1f}, adjoint {:.1f}, tangent {:.1f}, files {:.1f}", summary.total_s,
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
    find_far_vertices(shot, result.best->trajectory, summary.keyframes);
    write_best_run(scene, shot, *result.best, folder, summary, listener);
    if (!result.summary.is_stopped())
      summary.obstacles =
          obstacle_sentences(scene, shot, find_obstacles(shot.prepared, shot.options, result));
  }
  if (summary.status == RunStatus::kFailed) summary.frames_done = write_failed_run(shot, folder, listener);
  return summary;
}

void tell_result(const Scene& scene, const SearchResult& result, const RunSummary& summary,
                 RunListener& listener) {
  listener.info("{}: {}", word(summary.status), end_text(scene, result));
  if (!result.best) return;
  tell_run(summary, listener);
  for (const std::string& line : summary.obstacles) listener.on_text(LogLevel::kWarning, line);
}

}  // namespace keydrape
