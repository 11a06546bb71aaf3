#include "io/shot/shot.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/cloth/cloth.h"
#include "io/shot/channels.h"
#include "io/shot/cloth.h"
#include "io/shot/contact.h"
#include "io/shot/control.h"
#include "io/shot/input/mesh.h"
#include "io/shot/keyframe_overlap.h"
#include "io/shot/parts.h"
#include "io/shot/pins.h"
#include "io/shot/start.h"
#include "io/shot/take.h"

namespace keydrape {
namespace {

// States and forces of more steps than this fit no memory.
constexpr std::int64_t kMaxSteps = 1'000'000;

ShotClock open_clock(const scene::Shot& shot) {
  if (std::int64_t{shot.frames.count()} * shot.substeps > kMaxSteps) {
    throw InputError(
        fmt::format("{}: [shot]: {} frames of {} substeps are more than {} time steps; split the shot",
                    shot.source.where(), shot.frames.count(), shot.substeps, kMaxSteps));
  }
  return {shot.frames, shot.fps, shot.substeps};
}

SimulatorOptions simulator_options(const Scene& scene, const ShotClock& clock) {
  SimulatorOptions options;
  options.dt = clock.dt();
  options.method =
      scene.control.gradient == scene::Gradient::kSwapped ? StepMethod::kLinearized : StepMethod::kConverged;
  if (scene.control.gradient == scene::Gradient::kFrozenContact)
    options.contact_derivatives = ContactDerivatives::kFrozen;
  options.newton.tolerance = scene.solver.newton_tolerance;
  options.newton.max_iterations = scene.solver.max_newton_iterations;
  options.newton.linear = scene.solver.linear;
  return options;
}

}  // namespace

ShotParts open_shot(const Scene& scene) {
  ShotParts parts;
  parts.clock = open_clock(scene.shot);
  parts.rest = read_rest_mesh(scene, parts.warnings);
  parts.start = read_initial(scene, parts.rest, parts.warnings);
  parts.cloth = describe_cloth(scene, parts.clock, parts.rest, parts.start, parts.warnings);
  parts.start = repaired_start(scene, parts.cloth, parts.start, parts.warnings);
  parts.targets = open_targets(scene, parts.clock, parts.rest, parts.start, parts.cloth.pins, parts.warnings);
  if (scene.control.forces)
    parts.pushed = select_group_or_painted(parts.rest, scene.control.group, scene.control.weights);
  return parts;
}

Shot build_shot(const Scene& scene) { return build_shot(scene, open_shot(scene)); }

Shot build_shot(const Scene& scene, ShotParts parts) {
  check_start(scene, parts.cloth, parts.start);
  check_start_stretch(scene, parts.cloth, parts.start);
  Shot shot{};
  shot.clock = parts.clock;
  shot.meters_per_unit = scene.shot.meters_per_unit;
  shot.rest = std::move(parts.rest);
  shot.start = {parts.start, VecX::Zero(parts.start.size())};
  shot.owned_model = make_model(scene, parts.cloth);
  shot.model = shot.owned_model.get();
  shot.simulator = std::make_unique<Simulator>(*shot.model, simulator_options(scene, shot.clock));
  shot.bodies = parts.cloth.bodies;
  shot.keyframes = std::move(parts.targets.keyframes);
  shot.surfaces = std::move(parts.targets.surfaces);
  shot.warnings = std::move(parts.warnings);
  warn_of_overlaps(scene, shot.clock, parts.cloth, shot.keyframes, shot.warnings);
  shot.layout = open_control_layout(scene, shot.clock, shot.rest, *shot.model, parts.pushed);
  shot.channels = open_channels(scene, shot, parts.cloth);
  if (shot.channels) shot.layout->append_channels(shot.channels->size());
  if (scene.control.relative_to) open_take(scene, shot);
  std::vector<Keyframe> goals;
  for (const ShotKeyframe& keyframe : shot.keyframes) goals.push_back(keyframe.goal);
  shot.objective = make_objective(scene, shot.clock, shot.rest, std::move(goals), *shot.layout);
  return shot;
}

void use_channels(Shot& shot, const std::vector<VecX>& values) {
  Setting setting = shot.channels->setting(values);
  if (setting.model) {
    shot.simulator = std::move(setting.simulator);  // before the model that it refers to
    shot.owned_model = std::move(setting.model);
    shot.model = shot.owned_model.get();
  }
  shot.start = std::move(setting.start);
}

BallBounds open_bounds(const Scene& scene, const Shot& shot) {
  return shot.layout->bounds(*scene.control.max_acceleration, shot.base.get());
}

void adapt_targets(Shot& shot, const Trajectory& run) {
  shot.objective->adapt_to(run);
  take_over(shot.objective->keyframes(), shot.clock, shot.keyframes);
}

int forward_simulation_budget(const scene::Control& control) {
  const bool lbfgs = control.method == scene::ControlMethod::kLbfgs;
  const int of_gauss_newton = control.effort.automatic ? scene::Control::kAutomaticEffortSimulations
                                                       : scene::Control::kGaussNewtonSimulations;
  return control.max_forward_simulations.value_or(lbfgs ? scene::Control::kLbfgsSimulations
                                                        : of_gauss_newton);
}

size_t memory_budget_bytes(const scene::Solver& solver) {
  constexpr double kNoLimit = 1e18;  // more than any machine has, and not beyond what a size_t counts
  return static_cast<size_t>(std::min(solver.memory_gb * kBytesPerGb, kNoLimit));
}

}  // namespace keydrape
