#include "io/shot/shot.h"

#include <fmt/format.h>

#include <cassert>
#include <cstdint>
#include <utility>

#include "core/base/error.h"
#include "core/cloth/cloth.h"
#include "io/file/short_number.h"
#include "io/shot/channels.h"
#include "io/shot/cloth.h"
#include "io/shot/contact.h"
#include "io/shot/contradictions.h"
#include "io/shot/control.h"
#include "io/shot/doubt/loose_parts.h"
#include "io/shot/doubt/upright.h"
#include "io/shot/doubt/weight_cover.h"
#include "io/shot/doubts.h"
#include "io/shot/input/mesh.h"
#include "io/shot/pins.h"
#include "io/shot/reach_text.h"
#include "io/shot/start.h"
#include "io/shot/take.h"

namespace keydrape {
namespace {

ShotClock make_clock(const scene::Shot& shot) {
  if (std::int64_t{shot.frames.count()} * shot.substeps > kMaxSteps) {
    throw InputError(
        fmt::format("{}: [shot]: {} frames of {} substeps are more than {} time steps; split the shot",
                    shot.source.where(), shot.frames.count(), shot.substeps, kMaxSteps));
  }
  return {shot.frames, shot.fps, shot.substeps};
}

SimulatorOptions simulator_options(const Scene& scene, StepQuality quality) {
  const bool is_swapped = scene.control.gradient == scene::Gradient::kSwapped;
  SimulatorOptions options;
  options.method = is_swapped ? StepMethod::kLinearized : scene.solver.integrator;
  if (is_swapped) options.linearized_derivatives = LinearizedDerivatives::kSwapped;
  if (quality == StepQuality::kDraft) {
    options.method = StepMethod::kLinearized;
    options.linearized = kDraftSteps;
  }
  if (scene.control.gradient == scene::Gradient::kFrozenContact)
    options.contact_derivatives = ContactDerivatives::kFrozen;
  options.rounds = scene.solver.rounds;
  options.rounds_memory = scene.solver.rounds_memory;
  options.scheme = scene.solver.scheme;
  options.newton.tolerance = scene.solver.newton_tolerance;
  options.newton.max_iterations = scene.solver.max_newton_iterations;
  options.newton.linear = scene.solver.linear;
  return options;
}

// Explicit steps that are too long for the cloth as it begins.
void check_step_length(const Scene& scene, const Shot& shot) {
  const Simulator& simulator = shot.simulator();
  if (!simulator.is_explicit()) return;
  StepWorkspace work;
  const double longest = longest_step(simulator.options().scheme,
                                      fastest_motion(shot.model(), shot.start(), simulator.dt(), 0.0, work));
  if (simulator.dt() <= kShareOfLimit * longest) return;
  throw InputError(fmt::format(
      "{}: [shot] substeps: found {}, steps of {} s; expected at least {} with [solver] integrator = "
      "\"explicit\" "
      "and this scheme: it bears {} s, and takes 0.9 of that; softer cloth or a coarser mesh needs fewer, "
      "another integrator none",
      scene.shot.source.where(), shot.clock.substeps, short_number(simulator.dt(), 3),
      substeps_that_do(shot.clock.substeps, simulator.dt() / longest), short_number(longest, 3)));
}

// What the scene's files hold, before anything is built of it.
struct ShotFiles {
  ShotClock clock;
  TriangleMesh rest;                  // [m]
  VecX start;                         // positions at the first frame [m] (3n)
  ExemptionsPointer exempt;           // what begins through itself
  std::optional<DrapeOptions> drape;  // how the start came to rest
  ClothDescription cloth;             // of `rest`
  std::vector<ShotKeyframe> keyframes;
  ShotWarnings warnings;
  std::vector<std::string> covered;  // as Shot::covered
};

ShotFiles read_files(const Scene& scene) {
  ShotFiles files;
  files.warnings = scene.doubts;
  files.clock = make_clock(scene.shot);
  files.rest = read_rest_mesh(scene, files.warnings);
  files.start = read_initial(scene, files.rest, files.warnings);
  files.cloth = describe_cloth(scene, files.clock, files.rest, files.start, files.warnings);
  files.start = repaired_start(scene, files.cloth, files.start, files.warnings);
  check_start(scene, files.cloth, files.start);
  check_start_stretch(scene, files.cloth, files.start);
  check_start_springs(scene, files.cloth, files.start);
  if (scene.cloth.initial.is_drape) {
    files.drape = drape_options(scene, files.clock);
    files.start = draped_start(scene, files.cloth, files.start, *files.drape);
  }
  files.exempt = exempt_start(scene, files.cloth, files.start, files.warnings);
  warn_of_slips(scene, files.cloth, files.start, files.warnings);
  warn_of_axis(scene, files.cloth, files.start, files.warnings);
  warn_of_loose_parts(scene, files.cloth, files.start, files.warnings);
  files.keyframes = read_keyframes(scene, files.clock, {files.rest, files.start}, files.warnings);
  files.covered = weight_cover(scene, files.rest, files.warnings);
  return files;
}

Task make_task(const Scene& scene, const ShotFiles& files, StepQuality quality) {
  Task task;
  task.cloth = files.cloth;
  task.start = {files.start, VecX::Zero(files.start.size()), files.exempt};
  task.drape = files.drape;
  task.grid = {files.clock.frames.count() - 1, files.clock.fps, files.clock.substeps, 0};
  task.simulator = simulator_options(scene, quality);
  task.pushing = make_pushing(scene.control, files.clock, files.rest);
  task.channels = make_channel_specs(scene, files.rest, files.cloth);
  task.effort = make_effort(scene.control);
  for (const ShotKeyframe& keyframe : files.keyframes) task.targets.push_back(keyframe);
  // What a window searches counts the blocks of the whole shot.
  if (!scene.control.window && !scene.control.windows) push_until_last_target(task);
  return task;
}

void take_over(const GoalState& goal, Shot& shot) {
  assert(goal.keyframes.size() == shot.keyframes.size());
  for (std::size_t k = 0; k < goal.keyframes.size(); ++k) {
    shot.keyframes[k].keyframe = goal.keyframes[k];
    shot.keyframes[k].frame = shot.clock.frame_of_step(goal.keyframes[k].state);
  }
}

}  // namespace

Shot open_shot(const Scene& scene, StepQuality quality) {
  ShotFiles files = read_files(scene);
  Shot shot{};
  shot.clock = files.clock;
  shot.meters_per_unit = scene.shot.meters_per_unit;
  std::shared_ptr<const Model> model = make_model(scene, files.cloth);
  Task task = make_task(scene, files, quality);
  // Nothing is to be searched for: cloth that is held all over is as good as any.
  if (task.targets.empty() && pushed_vertices(task).vertices.empty()) task.pushing.vertices.clear();
  check_pushing(scene.control, task);
  shot.options = make_search_options(scene, files.clock, task);
  try {
    shot.prepared = prepare(std::move(task), std::move(model));
  } catch (const InputError& error) {  // which knows no file
    throw InputError(fmt::format("{}: [control]: {}", scene.control.source.where(), error.what()));
  }
  check_step_length(scene, shot);
  warn_of_thrown_start(scene, shot.prepared, files.warnings);
  shot.keyframes = std::move(files.keyframes);
  shot.warnings = std::move(files.warnings);
  shot.covered = std::move(files.covered);
  ReachMeter meter(shot.task());
  for (std::size_t k = 0; k < shot.keyframes.size(); ++k) shot.reach.push_back(meter.measure(k));
  warn_of_reach(scene, shot);
  warn_of_rivals(shot);
  warn_of_late_forces(scene, shot);
  if (scene.control.relative_to) start_from_take(scene, shot);
  return shot;
}

void use_channels(Shot& shot, const std::vector<VecX>& values) {
  auto variant = std::make_unique<const ClothVariant>(shot.channels()->variant(values));
  if (!variant->is_possible)
    throw InputError(
        "channels: found a number that no fabric can have, 0, infinite or beyond 1e30, or a stretch_scale of "
        "0 or less; expected those of a take; correct them");
  if (!variant->has_start())
    throw InputError(
        fmt::format("[cloth] initial: found \"drape\", but with the channels of this take the cloth does not "
                    "come to rest: forces of {:.2g} of its weight are left; expected a fabric that hangs "
                    "still; name a mesh, or leave the channels of the fabric out",
                    variant->drape->residual));
  shot.variant = std::move(variant);
}

void adapt_targets(Shot& shot, const Trajectory& run) {
  take_over(*adapted(*shot.objective().first_goal(), run, shot.task().length()).goal, shot);
}

void adapt_targets(Shot& shot, const Trajectory& run, const std::vector<int>& states) {
  take_over(*adapted_at(*shot.objective().first_goal(), run, states, shot.task().length()), shot);
}

}  // namespace keydrape
