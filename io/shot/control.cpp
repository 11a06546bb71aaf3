#include "io/shot/control.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/mesh/topology.h"
#include "io/shot/selection.h"

namespace keydrape {
namespace {

// Whether pins hold a vertex in all directions at the end of every step.
std::vector<bool> always_held(const ShotClock& clock, const Model& model) {
  std::vector<int> times_held(model.vertex_count(), 0);
  for (int n = 0; n < clock.step_count(); ++n) {
    const StepConstraints constraints(model.pins(), (n + 1) * clock.dt(), model.vertex_count());
    for (const StepConstraints::Row& row : constraints.rows()) times_held[row.vertex] += row.S.isZero();
  }
  std::vector<bool> held;
  for (const int times : times_held) held.push_back(times == clock.step_count());
  return held;
}

// Of the steps of `shot`, which holds `frames`.
std::vector<int> block_of_step(const scene::Control& control, const ShotClock& shot,
                               const FrameRange& frames) {
  const int begin = shot.state_of_frame(frames.first), end = shot.state_of_frame(frames.last);
  const int steps_in_block = control.hold == scene::Hold::kFrame ? shot.substeps : 1;
  std::vector<int> blocks(shot.step_count(), -1);
  for (int n = begin; n < end; ++n) blocks[n] = (n - begin) / steps_in_block;
  return blocks;
}

// Edges between pushed vertices, counted among these.
std::vector<PushedEdge> pushed_edges(const TriangleMesh& rest, const std::vector<int>& active) {
  std::vector<int> position(rest.vertex_count(), -1);
  for (std::size_t k = 0; k < active.size(); ++k) position[active[k]] = static_cast<int>(k);
  std::vector<PushedEdge> edges;
  for (const Edge& edge : build_topology(rest.triangles, rest.vertex_count()).edges)
    if (position[edge[0]] >= 0 && position[edge[1]] >= 0)
      edges.push_back(
          {position[edge[0]], position[edge[1]], (rest.positions[edge[0]] - rest.positions[edge[1]]).norm()});
  return edges;
}

ControlBasis control_basis(const scene::Control& control, const ShotClock& clock, const TriangleMesh& rest,
                           const std::vector<int>& blocks, const std::vector<int>& active) {
  ControlBasis basis;
  if (control.knots_every) {
    const int blocks_in_frame = control.hold == scene::Hold::kFrame ? 1 : clock.substeps;
    const int block_count = 1 + *std::max_element(blocks.begin(), blocks.end());
    basis.spline.emplace(block_count, *control.knots_every * blocks_in_frame);
  }
  const int active_count = static_cast<int>(active.size());
  if (control.modes && *control.modes > active_count) {
    throw InputError(
        fmt::format("{}: [control] modes: found {}; expected at most {}, the number of vertices that forces "
                    "may act on",
                    control.source.where(), *control.modes, active_count));
  }
  if (control.modes) basis.modes = smooth_modes(active_count, pushed_edges(rest, active), *control.modes);
  basis.net = control.net;
  return basis;
}

}  // namespace

std::unique_ptr<ControlLayout> open_control_layout(const Scene& scene, const ShotClock& clock,
                                                   const TriangleMesh& rest, const Model& model,
                                                   std::optional<FrameRange> window) {
  const scene::Control& control = scene.control;
  const VertexSelection selection =
      control.forces ? select_group_or_painted(rest, control.group, control.weights) : VertexSelection{};
  return open_control_layout(scene, clock, rest, model, selection, window);
}

std::unique_ptr<ControlLayout> open_control_layout(const Scene& scene, const ShotClock& clock,
                                                   const TriangleMesh& rest, const Model& model,
                                                   const VertexSelection& selection,
                                                   std::optional<FrameRange> window) {
  const scene::Control& control = scene.control;
  if (!control.forces)
    return std::make_unique<ControlLayout>(block_of_step(control, clock, clock.frames), std::vector<int>{},
                                           model.vertex_mass());
  const std::vector<bool> held = always_held(clock, model);
  VertexSelection active;
  for (std::size_t k = 0; k < selection.vertices.size(); ++k) {
    if (held[selection.vertices[k]]) continue;
    active.vertices.push_back(selection.vertices[k]);
    active.weights.push_back(selection.weights[k]);
  }
  if (active.vertices.empty()) {
    throw InputError(
        fmt::format("{}: [control]: pins hold all {} vertices that forces may act on during the whole "
                    "shot; expected one that can move; free it, or choose another group",
                    control.source.where(), selection.vertices.size()));
  }
  ShotClock part = clock;
  if (window) part.frames = *window;
  std::vector<int> blocks =
      block_of_step(control, part, window.value_or(control.frames.value_or(clock.frames)));
  ControlBasis basis = control_basis(control, clock, rest, blocks, active.vertices);
  return std::make_unique<ControlLayout>(std::move(blocks), std::move(active.vertices), model.vertex_mass(),
                                         std::move(active.weights), std::move(basis));
}

ObjectiveOptions objective_options(const scene::Control& control, const TriangleMesh& rest) {
  return {bounding_box_diagonal(rest.positions), control.effort.value, control.smooth_time,
          control.smooth_space};
}

std::vector<KeyframeTolerance> aimed_tolerances(const std::vector<ShotKeyframe>& keyframes) {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  std::vector<KeyframeTolerance> tolerances;
  for (const ShotKeyframe& keyframe : keyframes)
    tolerances.push_back({keyframe.goal.weight > 0.0 ? keyframe.tolerance.value_or(kAny) : kAny,
                          keyframe.velocity_tolerance.value_or(kAny)});
  return tolerances;
}

std::unique_ptr<Objective> make_objective(const Scene& scene, const ShotClock& clock,
                                          const TriangleMesh& rest, std::vector<Keyframe> keyframes,
                                          const ControlLayout& layout, double share) {
  const bool held_over_frame = scene.control.hold == scene::Hold::kFrame;
  std::vector<Objective::EdgeLength> edges;
  for (const Edge& edge : build_topology(rest.triangles, rest.vertex_count()).edges)
    edges.push_back({edge, (rest.positions[edge[0]] - rest.positions[edge[1]]).norm()});
  ObjectiveOptions options = objective_options(scene.control, rest);
  options.effort *= share;
  options.smooth_time *= share;
  options.smooth_space *= share;
  return std::make_unique<Objective>(options, std::move(keyframes), layout,
                                     held_over_frame ? 1.0 / clock.fps : clock.dt(), edges);
}

}  // namespace keydrape
