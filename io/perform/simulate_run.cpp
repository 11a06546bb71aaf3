#include "io/perform/simulate_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "control/run/force_schedule.h"
#include "control/run/rollout.h"
#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "io/file/counted.h"
#include "io/file/file.h"
#include "io/file/short_number.h"
#include "io/perform/pin_jumps.h"
#include "io/perform/read_runs.h"
#include "io/perform/result_text.h"
#include "io/perform/stretch_warning.h"
#include "io/run/contact_file.h"
#include "io/run/run_outputs.h"
#include "io/run/scene_files.h"
#include "io/run/shot_record.h"
#include "io/run/simulation_checkpoint.h"
#include "io/take/recorded_channels.h"
#include "io/take/recorded_forces.h"
#include "io/take/recorded_take.h"
#include "io/take/take_files.h"

namespace keydrape {
namespace {

// What acts on the cloth beside the scene: the files that were named, or else those of the take to repeat.
struct ActingFiles {
  std::filesystem::path forces, channels;  // empty: none
  std::filesystem::path steps{};           // of the take; empty: none is repeated
};

ActingFiles acting_files(const SimulateOrder& order) {
  ActingFiles files{.forces = order.forces, .channels = order.channels};
  if (order.along.empty()) return files;
  files.steps = order.along / kStepsFile;
  if (files.forces.empty()) files.forces = forces_of_take(order.along);
  if (files.channels.empty() && std::filesystem::exists(order.along / kChannelsFile))
    files.channels = order.along / kChannelsFile;
  return files;
}

std::unique_ptr<ForceSchedule> read_forces(const Shot& shot, const SimulateOrder& order,
                                           const ActingFiles& files) {
  const int n = shot.rest().vertex_count();
  const std::filesystem::path& path = files.forces;
  std::unique_ptr<ForceSchedule> forces = std::make_unique<NoForces>();
  if (!path.empty()) {
    const std::filesystem::path beside = path.parent_path() / kChannelsFile;
    if (files.channels.empty() && std::filesystem::exists(beside)) {
      throw InputError(
          fmt::format("{}: these forces were found together with the channels beside them, and without those "
                      "they are another take; add --channels {}",
                      path.string(), beside.string()));
    }
    auto recorded = std::make_unique<RecordedForces>(path, shot.clock, n);
    refuse_positions(*recorded, shot.start().x, path.string());
    forces = std::move(recorded);
  }
  if (order.along.empty()) return forces;
  return std::make_unique<RecordedTake>(std::move(forces), read_take_positions(order.along, shot.clock, n));
}

// Forces that change within frames are replayed as what they are on the mean over each: another take.
void warn_of_means(const std::filesystem::path& forces, std::vector<std::string>& warnings) {
  const std::filesystem::path of_steps = forces.parent_path() / kForcesOfStepsFile;
  if (forces.filename() != kForcesFile || !std::filesystem::exists(of_steps)) return;
  warnings.push_back(
      fmt::format("{}: these are means over frames of the forces of time steps in {} beside it, and take the "
                  "cloth another way; to repeat that take, give --forces {}",
                  forces.string(), kForcesOfStepsFile, of_steps.string()));
}

// What is repeated must not lie where the repetition goes.
void refuse_to_replace_take(const SimulateOrder& order, const std::filesystem::path& folder) {
  std::vector<std::pair<std::string_view, std::filesystem::path>> files = {{"--forces", order.forces},
                                                                           {"--channels", order.channels}};
  if (!order.along.empty()) files.emplace_back("--along", order.along / kStepsFile);
  for (const auto& [option, file] : files)
    if (!file.empty() && is_result_of_run_in(folder, file))
      throw InputError(fmt::format(
          "{}: {}: found it in the output folder {}, where this run would replace it; keep it elsewhere, "
          "or choose another output folder (-o)",
          file.string(), option, folder.string()));
}

// The scene's files, and those of the command line.
std::vector<SceneFile> files_read(const Scene& scene, const SimulateOrder& order) {
  std::vector<SceneFile> files = scene_files(scene);
  for (const auto& [option, file] : {std::pair("--forces", order.forces), {"--channels", order.channels}})
    if (!file.empty()) files.push_back({option, file, {}, file});
  const std::filesystem::path steps = order.along / kStepsFile;
  if (!order.along.empty()) files.push_back({"--along", steps, {}, steps});
  return files;
}

// What is simulated: all files have been read.
struct OpenedSimulation {
  Shot shot;  // under the values of its channels
  ActingFiles files;
  std::unique_ptr<ForceSchedule> forces;
  std::vector<VecX> channels;  // empty: none are given
};

OpenedSimulation open_simulation(const Scene& scene, const SimulateOrder& order) {
  Shot shot = open_shot(scene, order.quality);
  add_doubts_of_read_runs(files_read(scene, order), shot.warnings);
  ActingFiles files = acting_files(order);
  std::unique_ptr<ForceSchedule> forces = read_forces(shot, order, files);
  warn_of_means(files.forces, shot.warnings);
  std::vector<VecX> channels;
  if (!files.channels.empty()) {
    channels = read_channels(files.channels, shot.channels(), shot.clock);
    use_channels(shot, channels);
  }
  return {std::move(shot), std::move(files), std::move(forces), std::move(channels)};
}

SceneFingerprint fingerprint_of_run(const Scene& scene, const SimulateOrder& order,
                                    const ActingFiles& files) {
  SceneFingerprint fingerprint = scene_fingerprint(scene);
  if (order.quality == StepQuality::kDraft) fingerprint.emplace_back(kDraftOption, "given");
  const bool has_forces = !order.forces.empty(), has_channels = !order.channels.empty();
  for (const auto& [name, file] : {std::pair(has_forces ? "--forces" : "forces of --along", files.forces),
                                   {has_channels ? "--channels" : "channels of --along", files.channels},
                                   {"--along", files.steps}})
    if (!file.empty()) fingerprint.emplace_back(name, file_fingerprint(file));
  return fingerprint;
}

// A rollout that can be continued: it writes down where it stands, now and then and when it is asked to.
class ContinuedRun {
 public:
  ContinuedRun(const Shot& shot, const ForceSchedule& forces, SimulationCheckpoint& checkpoint,
               RunListener& listener)
      : shot_(shot), forces_(forces), checkpoint_(checkpoint), listener_(listener) {
    trajectory_.states.push_back(shot.start());
  }

  void resume() {
    checkpoint_.read(shot_, trajectory_);
    recall_forces(shot_.simulator(), forces_, trajectory_);
    for (const double seconds : trajectory_.seconds) seconds_before_ += seconds;
    while (ends_as_recorded(trajectory_.replayed_steps)) ++trajectory_.replayed_steps;
    if (const int steps = trajectory_.step_count(); steps > 0)
      listener_.info("resumed in frame {}, after {} time steps", shot_.clock.frame_of_step(steps - 1), steps);
  }

  // That the steps took which were there already [s].
  double seconds_before() const { return seconds_before_; }

  // To the end, or to where an interrupt ends it.
  Trajectory finish() {
    const int steps = shot_.clock.step_count();
    continue_rollout(shot_.simulator(), trajectory_, forces_, steps, [&](int n, const StepReport&) {
      listener_.on_progress((n + 1.0) / steps, fmt::format("frame {} of {}", shot_.clock.frame_of_step(n),
                                                           shot_.clock.frames.last));
      return heed();
    });
    listener_.on_computed();
    return std::move(trajectory_);
  }

 private:
  static constexpr double kSecondsBetweenParts = 10.0;

  bool ends_as_recorded(int step) const {
    if (step >= trajectory_.step_count()) return false;
    const VecX* end = forces_.recorded_end(step);
    return end && *end == trajectory_.states[static_cast<std::size_t>(step) + 1].x;
  }

  // Whether to go on.
  bool heed() {
    const bool goes_on = !listener_.should_stop();
    is_asked_ |= listener_.asks_for_checkpoint();
    const bool is_clear_start = trajectory_.step_count() % kStepsBetweenClearStarts == 0;
    if (!goes_on || (is_clear_start && (is_asked_ || since_part_.seconds() > kSecondsBetweenParts))) {
      checkpoint_.write(shot_, trajectory_);
      since_part_ = {};
    }
    if (!is_asked_ || !is_clear_start) return goes_on;
    listener_.info("{} time steps are in {}, where --resume goes on; going on", checkpoint_.step_count(),
                   checkpoint_.folder().string());
    is_asked_ = false;
    return goes_on;
  }

  const Shot& shot_;
  const ForceSchedule& forces_;
  SimulationCheckpoint& checkpoint_;
  RunListener& listener_;
  Trajectory trajectory_;
  double seconds_before_ = 0.0;
  Stopwatch since_part_;
  bool is_asked_ = false;  // somebody has, and no clear start since
};

void tell_repetition(const Simulator& simulator, const Trajectory& trajectory, RunListener& listener) {
  const int steps = trajectory.step_count();
  listener.info("{} of {} time steps end where the take says, to the bit", trajectory.replayed_steps, steps);
  if (trajectory.replayed_steps < steps)
    listener.warning(
        "time step {} of the take {} here, and the rest was taken anew: the scene or the forces are not "
        "those "
        "that it was made with",
        trajectory.replayed_steps + 1,
        is_solved(simulator.options().method) ? "does not solve the equation of motion" : "ends elsewhere");
}

// A run is continued as what it was.
void refuse_other_run(const std::filesystem::path& folder, const std::vector<std::string>& differences) {
  if (differences.empty()) return;
  throw InputError(
      fmt::format("{}: the scene, or one of the files beside it, has changed since this run was broken off: "
                  "{}. Restore it to "
                  "go on; or simulate with --force, without --resume, to start again",
                  folder.string(), in_short(differences)));
}

RunStatus status_of_simulation(const Shot& shot, const Trajectory& trajectory) {
  if (trajectory.first_failure() < trajectory.step_count()) return RunStatus::kFailed;
  return trajectory.step_count() < shot.clock.step_count() ? RunStatus::kInterrupted : RunStatus::kDone;
}

// `is_free`: without forces and channels, so that it is itself what the cloth does without control.
RunSummary summarize(const Shot& shot, const Trajectory& trajectory, const ForceSchedule& forces,
                     bool is_free) {
  RunSummary summary;
  summary.status = status_of_simulation(shot, trajectory);
  summary.frames_done = complete_frame_count(shot, trajectory);
  summary.keyframes = outcomes_so_far(shot, trajectory);
  if (is_free)
    for (KeyframeOutcome& keyframe : summary.keyframes) keyframe.uncontrolled_rms = keyframe.miss.rms;
  summary.effort = measure_forces(shot, forces);
  if (trajectory.step_count() > 0) summary.fastest = fastest_vertex(trajectory);
  if (leaves_residuals(shot.simulator())) summary.draft = draft_figures(trajectory);
  summary.crossings = crossing_figures(shot, trajectory);
  summary.work.forward_simulations = 1;
  summary.work.count_steps(trajectory.reports);
  for (const double seconds : trajectory.seconds) summary.work.forward_s += seconds;
  summary.work.trajectory_bytes = trajectory.states.size() * 2 * sizeof(double) * shot.start().x.size();
  return summary;
}

// Tells what is doubtful about the run, which becomes a warning of the shot. Whether there is anything.
bool warn_of_run(const Scene& scene, Shot& shot, const Trajectory& trajectory, RunListener& listener) {
  std::vector<std::string> texts;
  const std::vector<PinJump> jumps = find_pin_jumps(scene, shot, trajectory);
  for (const PinJump& jump : jumps) texts.push_back(pin_jump_warning(shot, jump));
  if (std::optional<std::string> stretch = stretch_warning(shot, trajectory, jumps))
    texts.push_back(std::move(*stretch));
  if (std::optional<std::string> edge = edge_stretch_warning(shot, trajectory))
    texts.push_back(std::move(*edge));
  listener.warnings(texts);
  shot.warnings.insert(shot.warnings.end(), texts.begin(), texts.end());
  return !texts.empty();
}

// The files of a run that has ended. The shot's record is written anew where the run has changed it; after
// the take, since it reads the scene's files again, which may be gone.
void write_simulation(const Scene& scene, Shot& shot, const Trajectory& trajectory,
                      const ForceSchedule& forces, RunStatus status, const RunFolder& folder,
                      RunListener& listener) {
  const bool is_adapted = shot.objective().first_goal()->is_adaptive() && status == RunStatus::kDone;
  if (is_adapted) adapt_targets(shot, trajectory);
  write_cloth(scene, {shot, trajectory, forces}, folder, "simulated");
  write_every_step(scene.output.every_step.value_or(false), shot, trajectory, folder);
  write_steps_log(shot, trajectory, folder);
  write_contacts(shot, trajectory, folder);
  if (warn_of_run(scene, shot, trajectory, listener) || is_adapted) write_shot_record(scene, shot, folder);
}

// `is_free`: as in summarize().
void tell_simulation(const Shot& shot, const Trajectory& trajectory, const RunSummary& summary,
                     const SimulationCheckpoint& checkpoint, bool is_free, RunListener& listener) {
  if (summary.status == RunStatus::kInterrupted && checkpoint.step_count() > 0)
    listener.info("--resume goes on after {} time steps", checkpoint.step_count());
  if (summary.crossings) listener.info("{}", crossings_text(*summary.crossings));
  for (const std::string& line :
       distance_lines(summary.keyframes, is_free ? "the cloth without control" : "the cloth"))
    listener.info("{}", line);
  if (summary.draft)
    listener.info("{}: largest residual {} of the cloth's weight, {} of {} steps cut",
                  shot.simulator().is_linearized() ? "linearised steps" : "rounds",
                  short_number(summary.draft->largest_residual, 2), summary.draft->cut_steps,
                  trajectory.step_count());
  listener.info("{}: {} of {} frames in {}, {:.1f} {} a step", word(summary.status),
                complete_frame_count(shot, trajectory), shot.clock.frames.count(), time_text(summary),
                static_cast<double>(summary.work.newton_iterations) / trajectory.step_count(),
                shot.simulator().takes_rounds()  ? "rounds"
                : shot.simulator().is_explicit() ? "stages"
                                                 : "Newton iterations");
}

}  // namespace

Shot simulated_shot(const Scene& scene, const SimulateOrder& order) {
  return open_simulation(scene, order).shot;
}

SimulatedRun simulate_in_folder(const Scene& scene, const SimulateOrder& order, RunListener& listener) {
  const Stopwatch total;
  PlaceOrder where = order.place;
  where.is_draft = order.quality == StepQuality::kDraft;
  const RunPlace place(scene, where, RunCommand::kSimulate);
  refuse_to_replace_inputs(scene, place.path());
  refuse_to_replace_take(order, place.path());
  auto [shot, files, forces, channels] = open_simulation(scene, order);
  // Of files that may be named by way of the link `latest`, which begin() moves.
  const SceneFingerprint fingerprint = fingerprint_of_run(scene, order, files);
  const RunFolder folder = place.open();
  SimulationCheckpoint checkpoint(folder, fingerprint);
  if (folder.goes_on()) refuse_other_run(folder.path(), checkpoint.differences());
  const std::vector<std::string> link_warnings = place.begin(folder);
  listener.on_folder(folder);
  if (folder.goes_on()) listener.info("--resume: goes on with {}", folder.path().string());
  listener.warnings(link_warnings);
  listener.warnings(shot.warnings);
  listener.info("{}: frames {}, {}, {} vertices, {} triangles", scene.shot.name, shot.clock.frames.text(),
                counted(shot.clock.substeps, "substep"), shot.rest().vertex_count(),
                shot.rest().triangle_count());
  for (const std::string& line : shot.covered) listener.info("weights: {}", line);
  write_shot_record(scene, shot, folder);
  const double opened_s = total.seconds();

  ContinuedRun run(shot, *forces, checkpoint, listener);
  if (folder.goes_on()) run.resume();
  Trajectory trajectory = run.finish();
  if (!order.along.empty()) tell_repetition(shot.simulator(), trajectory, listener);
  const bool is_free = order.forces.empty() && order.along.empty() && files.channels.empty();
  RunSummary summary = summarize(shot, trajectory, *forces, is_free);
  summary.is_preview = order.quality == StepQuality::kDraft;
  summary.channels = std::move(channels);
  std::string failure;
  if (summary.status == RunStatus::kFailed) {
    failure = failure_message(shot, trajectory);
    listener.on_text(LogLevel::kError, failure);
  }

  const Stopwatch writing;
  write_simulation(scene, shot, trajectory, *forces, summary.status, folder, listener);
  summary.io_s = opened_s + writing.seconds();
  summary.start_s = total.seconds();
  summary.total_s = summary.start_s + run.seconds_before();
  std::string json = summary_json(shot, summary);
  write_file_atomically(folder / "summary.json", json);
  if (summary.status != RunStatus::kInterrupted) checkpoint.remove();
  tell_simulation(shot, trajectory, summary, checkpoint, is_free, listener);
  return {folder.path(),      std::move(shot), std::move(trajectory),
          std::move(summary), std::move(json), std::move(failure)};
}

}  // namespace keydrape
