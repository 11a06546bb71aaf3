#include "io/shot.h"

#include <fmt/format.h>

#include "core/cloth.h"
#include "core/error.h"
#include "io/keyframe_overlap.h"
#include "io/recorded_take.h"
#include "io/run_outputs.h"
#include "io/shot_cloth.h"
#include "io/shot_contact.h"
#include "io/shot_control.h"
#include "io/shot_mesh.h"
#include "io/shot_pins.h"
#include "io/shot_start.h"

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

LinearMethod linear_method(scene::LinearSolver linear) {
  switch (linear) {
    case scene::LinearSolver::kDirect:
      return LinearMethod::kDirect;
    case scene::LinearSolver::kPcg:
      return LinearMethod::kConjugateGradient;
    case scene::LinearSolver::kAuto:
      break;
  }
  return LinearMethod::kAuto;
}

SimulatorOptions simulator_options(const Scene& scene, const ShotClock& clock) {
  SimulatorOptions options;
  options.dt = clock.dt();
  options.method =
      scene.control.gradient == scene::Gradient::kSwapped ? StepMethod::kLinearized : StepMethod::kConverged;
  options.newton.tolerance = scene.solver.newton_tolerance;
  options.newton.max_iterations = scene.solver.max_newton_iterations;
  options.newton.linear = linear_method(scene.solver.linear);
  return options;
}

// Forces that others come on top of, along the steps that stand beside them, if there are any.
std::unique_ptr<ForceSchedule> open_take(const Shot& shot, const std::filesystem::path& path) {
  auto forces = std::make_unique<RecordedForces>(shot, path);
  if (!std::filesystem::exists(path.parent_path() / "steps.npy")) return forces;
  return std::make_unique<RecordedTake>(std::move(forces), read_take_positions(shot, path.parent_path()));
}

}  // namespace

Shot build_shot(const Scene& scene) {
  Shot shot{};
  shot.clock = open_clock(scene.shot);
  shot.meters_per_unit = scene.shot.meters_per_unit;
  shot.rest = open_rest_mesh(scene, shot.warnings);
  shot.start.x = open_initial(scene, shot.rest, shot.warnings);
  shot.start.v = VecX::Zero(shot.start.x.size());
  const ClothDescription cloth = describe_cloth(scene, shot.clock, shot.rest, shot.start.x, shot.warnings);
  shot.start.x = repaired_start(scene, cloth, shot.start.x, shot.warnings);
  refuse_bad_start(scene, cloth, shot.start.x);
  refuse_overstretched_start(scene, cloth, shot.start.x);
  shot.model = open_model(scene, cloth);
  shot.simulator = std::make_unique<Simulator>(*shot.model, simulator_options(scene, shot.clock));
  shot.keyframes = open_keyframes(scene, shot.clock, shot.rest, shot.model->pins(), shot.warnings);
  warn_of_overlaps(scene, shot.clock, cloth, shot.keyframes, shot.warnings);
  shot.layout = open_control_layout(scene, shot.clock, shot.rest, *shot.model);
  if (scene.control.relative_to) shot.base = open_take(shot, scene.control.relative_to->value);
  std::vector<Keyframe> goals;
  for (const ShotKeyframe& keyframe : shot.keyframes) goals.push_back(keyframe.goal);
  shot.objective = make_objective(scene, shot.clock, shot.rest, std::move(goals), *shot.layout);
  return shot;
}

int forward_simulation_budget(const scene::Control& control) {
  const bool lbfgs = control.method == scene::ControlMethod::kLbfgs;
  return control.max_forward_simulations.value_or(lbfgs ? scene::Control::kLbfgsSimulations
                                                        : scene::Control::kGaussNewtonSimulations);
}

size_t memory_budget_bytes(const scene::Solver& solver) {
  return static_cast<size_t>(solver.memory_gb * 1e9);
}

}  // namespace keydrape
