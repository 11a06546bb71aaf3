#include "io/shot/control.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "io/shot/selection.h"

namespace keydrape {
namespace {

// Vertices from which on a forward run is dear enough for a search of a coarser cloth to pay.
constexpr int kDear = 1000;
// What a coarser cloth may have to give up of its lengths: with more it shows the finer one a dear way.
constexpr double kSmooth = 0.02;

bool asks_for(const scene::Control& control, scene::Coarsen what) {
  const auto& words = control.coarse_to_fine;
  return std::find(words.begin(), words.end(), what) != words.end();
}

// One vertex in twenty, or fewer, neither moves the cloth nor tells how the rest of it lies.
bool wants_few(const Target& target) {
  const VecX& weight = target.keyframe.vertex_weight;
  return target.keyframe.weight > 0.0 && 20 * (weight.array() > 0.0).count() <= weight.size();
}

// Whether a coarser cloth can take the targets' places. Few vertices do not tell.
bool can_follow(const Task& task, const Coarsening& coarsening) {
  if (std::any_of(task.targets.begin(), task.targets.end(), wants_few)) return false;
  const std::optional<CoarserTask> coarser = coarsened(task, coarsening);
  return coarser && lost_length(task, coarser->task) <= kSmooth;
}

// What is searched first: as the scene says, else one coarser version where that pays
// (control/decisions/0021-coarse-to-fine.md).
Coarsening make_coarsening(const scene::Control& control, const Task& task) {
  if (!control.coarse_to_fine.empty())
    return {control.coarse_levels, asks_for(control, scene::Coarsen::kMesh),
            asks_for(control, scene::Coarsen::kStep)};
  const bool is_possible = control.coarse_levels > 0 && !control.relative_to && !control.window &&
                           !control.windows && task.channels.empty();
  const bool pays = control.method == scene::ControlMethod::kGaussNewton &&
                    control.start == scene::Start::kGuided && control.effort.automatic &&
                    task.vertex_count() >= kDear;
  const Coarsening both{1, true, true};
  return is_possible && pays && can_follow(task, both) ? both : Coarsening{};
}

// Which channels have no derivatives along the way of a step.
void refuse_channels_of_way(const Scene& scene, const Task& task, const Simulator& simulator) {
  for (const ChannelSpec& channel : task.channels) {
    const bool is_refused = simulator.is_explicit() ? channel.kind != ChannelKind::kRigidThrow &&
                                                          channel.kind != ChannelKind::kVertexThrow
                                                    : channel.kind == ChannelKind::kMaterial;
    if (is_refused)
      throw InputError(fmt::format(
          "{}: [solver] integrator: found one whose steps are not differentiated by {}; expected \"newton\" "
          "or "
          "\"bdf2\"",
          scene.solver.source.where(),
          simulator.is_explicit() ? "a [[control.channel]] other than of the initial velocity"
                                  : "a [[control.channel]] of the material, which their matrix depends on"));
  }
}

}  // namespace

Pushing make_pushing(const scene::Control& control, const ShotClock& clock, const TriangleMesh& rest) {
  Pushing pushing;
  if (control.forces) {
    VertexSelection selection = select_group_or_painted(rest, control.group, control.weights);
    pushing.vertices = std::move(selection.vertices);
    pushing.weights = std::move(selection.weights);
  }
  if (control.frames) pushing.when = intervals_of(*control.frames, clock.frames);
  pushing.strength = control.strength.over_time(clock.frames.first, clock.fps);
  pushing.hold = control.hold == scene::Hold::kFrame ? Hold::kInterval : Hold::kStep;
  pushing.knots_every = control.knots_every;
  pushing.modes = control.modes;
  pushing.net = control.net;
  pushing.max_acceleration = control.max_acceleration;
  return pushing;
}

void check_pushing(const scene::Control& control, const Task& task) {
  if (task.pushing.vertices.empty()) return;
  const int count = static_cast<int>(pushed_vertices(task).vertices.size());
  if (count == 0)
    throw InputError(
        fmt::format("{}: [control]: pins hold all {} vertices that forces may act on during the whole "
                    "shot; expected one that can move; free it, or choose another group",
                    control.source.where(), task.pushing.vertices.size()));
  if (control.net == NetForce::kZero && control.modes.value_or(count) == 1)
    throw InputError(fmt::format(
        "{}: [control] net: found \"zero-force\", and a single {}: no forces are left; expected two or more",
        control.source.where(), count == 1 ? "vertex that forces may act on" : "one of modes"));
  if (control.modes && *control.modes > count)
    throw InputError(
        fmt::format("{}: [control] modes: found {}; expected at most {}, the number of vertices that forces "
                    "may act on",
                    control.source.where(), *control.modes, count));
}

void check_differentiable(const Scene& scene, const Task& task, const Simulator& simulator) {
  if (!simulator.model().filters().empty() || !simulator.model().resting().empty()) {
    const bool is_contact = is_pass(task.cloth.contact.method);
    throw InputError(fmt::format(
        "{}: {}, behind whose steps cloth is moved where it touches or stretches too far: such steps "
        "have no gradient, since that jumps from one to the next; expected {} and [solver] integrator "
        "= \"newton\" or \"bdf2\"; keydrape simulate and play take it as it is",
        is_contact ? scene.contact->source.where() : scene.solver.source.where(),
        is_contact ? "[contact] method: found one that acts" : "[solver] max_edge_stretch: found one",
        is_contact ? "method = \"barrier\" or \"penalty\"" : "[cloth.material] strain_limit"));
  }
  if (simulator.differentiates_way()) {
    refuse_channels_of_way(scene, task, simulator);
    return;
  }
  if (!simulator.has_exact_linearized_derivatives()) return;
  constexpr std::string_view kRemedy =
      "expected [solver] integrator = \"newton\" or \"bdf2\", or [control] gradient = \"swapped\" to compare "
      "with";
  if (!simulator.has_derivatives())
    throw InputError(
        fmt::format("{}: [solver] integrator: found \"linearized\", whose steps have no exact gradient in "
                    "contact, with a strain limit (how far their way is free is not smooth), of isotropic "
                    "cloth or of threads that are coupled ([cloth.material] coupling); {}",
                    scene.solver.source.where(), kRemedy));
  for (const ChannelSpec& channel : task.channels)
    if (channel.kind == ChannelKind::kStretchScale || channel.kind == ChannelKind::kMaterial)
      throw InputError(fmt::format(
          "{}: [solver] integrator: found \"linearized\", whose steps are not differentiated by a "
          "[[control.channel]] of the fabric; {}",
          scene.solver.source.where(), kRemedy));
}

void check_resumable(const Scene& scene, const Simulator& simulator) {
  if (!simulator.ends_as_it_moved())
    throw InputError(fmt::format(
        "{}: [solver] scheme: found one whose velocities positions do not tell, so that its takes "
        "could not be resumed or edited; expected \"symplectic\" to search with, or another "
        "integrator; keydrape check tests its gradient",
        scene.solver.source.where()));
}

int substeps_that_do(int substeps, double step_over_limit) {
  return static_cast<int>(std::min(1e9, std::ceil(substeps * step_over_limit / kShareOfLimit)));
}

EffortPolicy make_effort(const scene::Control& control) {
  return {control.effort.automatic, control.effort.value, control.smooth_time, control.smooth_space,
          control.even};
}

SearchOptions make_search_options(const Scene& scene, const ShotClock& clock, const Task& task) {
  const scene::Control& control = scene.control;
  SearchOptions options;
  options.method = control.method == scene::ControlMethod::kLbfgs     ? SearchMethod::kLbfgs
                   : control.method == scene::ControlMethod::kDescent ? SearchMethod::kDescent
                                                                      : SearchMethod::kGaussNewton;
  const bool is_steered = control.forces && control.start == scene::Start::kGuided;
  options.start = is_steered ? SearchStart::kGuided : SearchStart::kFree;
  options.max_forward_runs = control.max_forward_simulations;
  options.memory_bytes = scene.solver.memory_gb * 1e9;
  options.coarsening = make_coarsening(control, task);
  for (const FrameRange& window : control_windows(control, clock.frames))
    options.windows.push_back(intervals_of(window, clock.frames));
  return options;
}

FrameRange frames_of(const IntervalRange& range, const FrameRange& shot) {
  return {shot.first + range.first, shot.first + range.last};
}

IntervalRange intervals_of(const FrameRange& frames, const FrameRange& shot) {
  return {frames.first - shot.first, frames.last - shot.first};
}

int frame_of(const SearchPart& part, int state, const FrameRange& shot) {
  return shot.first + part.range.first + state / part.task.task.grid.substeps;
}

std::vector<FrameRange> control_windows(const scene::Control& control, const FrameRange& shot) {
  if (control.window) return {*control.window};
  if (!control.windows) return {};
  const auto& [length, overlap, source] = *control.windows;
  std::vector<FrameRange> ranges = {{shot.first, std::min(shot.first + length, shot.last)}};
  while (ranges.back().last < shot.last) {  // windows are longer than their overlap, so each ends later
    int first = ranges.back().last - overlap;
    if (2 * (shot.last - first) < length) first = shot.last - length;
    ranges.push_back({first, std::min(first + length, shot.last)});
  }
  return ranges;
}

}  // namespace keydrape
