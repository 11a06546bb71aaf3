#include "control/task/prepared_task.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "control/shooting/shooting_problem.h"
#include "control/task/task_check.h"
#include "core/base/error.h"
#include "core/mesh/topology.h"

namespace keydrape {
namespace {

// Which block of forces each step feels; -1: none.
std::vector<int> block_of_step(const Pushing& pushing, const StepGrid& grid) {
  const IntervalRange when = pushing.when.value_or(grid.all());
  const int begin = when.first * grid.substeps, end = when.last * grid.substeps;
  const int steps_in_block = pushing.hold == Hold::kInterval ? grid.substeps : 1;
  std::vector<int> blocks(static_cast<std::size_t>(grid.step_count()), -1);
  for (int n = begin; n < end; ++n) blocks[n] = (n - begin) / steps_in_block;
  return blocks;
}

// Edges between pushed vertices, counted among these.
std::vector<PushedEdge> pushed_edges(const TriangleMesh& rest, const std::vector<int>& active) {
  std::vector<int> position(static_cast<std::size_t>(rest.vertex_count()), -1);
  for (std::size_t k = 0; k < active.size(); ++k) position[active[k]] = static_cast<int>(k);
  std::vector<PushedEdge> edges;
  for (const Edge& edge : build_topology(rest.triangles, rest.vertex_count()).edges)
    if (position[edge[0]] >= 0 && position[edge[1]] >= 0)
      edges.push_back(
          {position[edge[0]], position[edge[1]], (rest.positions[edge[0]] - rest.positions[edge[1]]).norm()});
  return edges;
}

ControlBasis control_basis(const Task& task, const std::vector<int>& blocks, const std::vector<int>& active) {
  const Pushing& pushing = task.pushing;
  ControlBasis basis;
  if (pushing.knots_every) {
    const int blocks_in_interval = pushing.hold == Hold::kInterval ? 1 : task.grid.substeps;
    const int block_count = 1 + *std::max_element(blocks.begin(), blocks.end());
    const std::int64_t blocks_per_span = std::int64_t{*pushing.knots_every} * blocks_in_interval;
    // Longer ones are one span, too.
    basis.spline.emplace(block_count, static_cast<int>(std::min<std::int64_t>(blocks_per_span, block_count)));
  }
  const int active_count = static_cast<int>(active.size());
  if (pushing.modes && *pushing.modes > active_count)
    throw InputError("modes: found " + std::to_string(*pushing.modes) + "; expected at most " +
                     std::to_string(active_count) + ", the number of vertices that forces may act on");
  if (pushing.modes)
    basis.modes = smooth_modes(active_count, pushed_edges(task.cloth.mesh, active), *pushing.modes);
  basis.net = pushing.net;
  return basis;
}

// Components of accelerations are counted in integers.
void check_count(const std::vector<int>& blocks, const std::vector<int>& active) {
  const std::int64_t block_count = 1 + *std::max_element(blocks.begin(), blocks.end());
  const std::int64_t count = 3 * block_count * static_cast<std::int64_t>(active.size());
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  if (count > kMost)
    throw InputError("forces on " + std::to_string(active.size()) + " vertices, " +
                     std::to_string(block_count) + " times: found " + std::to_string(count) +
                     " components; expected at most " + std::to_string(kMost) +
                     ": let them act on fewer vertices, in fewer frames, or longer each (hold)");
}

// Of each block, at its middle.
std::vector<double> strength_of_blocks(const Task& task, const std::vector<int>& blocks) {
  std::vector<double> strength;
  const auto time = [&](std::size_t n) {
    return (task.grid.first_step + static_cast<double>(n)) * task.grid.dt();
  };
  for (std::size_t n = 0, end = 0; n < blocks.size(); n = end) {
    for (end = n + 1; end < blocks.size() && blocks[end] == blocks[n];) ++end;
    if (blocks[n] >= 0) strength.push_back(task.pushing.strength.at(0.5 * (time(n) + time(end))));
  }
  return strength;
}

std::unique_ptr<ControlLayout> make_layout(const Task& task, const PushedVertices& pushed,
                                           const VecX& vertex_mass) {
  if (task.pushing.vertices.empty()) {  // channels alone, whenever forces might act
    Pushing always = task.pushing;
    always.when.reset();
    return std::make_unique<ControlLayout>(block_of_step(always, task.grid), std::vector<int>{}, vertex_mass);
  }
  if (pushed.vertices.empty())
    throw InputError(
        "pins hold all vertices that forces may act on, all the time; expected one that can move");
  std::vector<int> blocks = block_of_step(task.pushing, task.grid);
  check_count(blocks, pushed.vertices);
  ControlBasis basis = control_basis(task, blocks, pushed.vertices);
  std::vector<double> strength = strength_of_blocks(task, blocks);
  return std::make_unique<ControlLayout>(std::move(blocks), pushed.vertices, vertex_mass, pushed.weights,
                                         std::move(basis), std::move(strength));
}

std::vector<Objective::EdgeLength> rest_edges(const TriangleMesh& rest) {
  std::vector<Objective::EdgeLength> edges;
  for (const Edge& edge : build_topology(rest.triangles, rest.vertex_count()).edges)
    edges.push_back({edge, (rest.positions[edge[0]] - rest.positions[edge[1]]).norm()});
  return edges;
}

std::unique_ptr<Objective> make_objective(const Task& task, const ControlLayout& layout,
                                          const std::vector<Objective::EdgeLength>& edges) {
  const EffortPolicy& effort = task.effort;
  const ObjectiveOptions options{task.length(), effort.value * effort.share, effort.smooth_time,
                                 effort.smooth_space, effort.borders};
  std::vector<Keyframe> keyframes;
  for (const Target& target : task.targets) keyframes.push_back(target.keyframe);
  const double block_duration =
      task.pushing.hold == Hold::kInterval ? 1.0 / task.grid.intervals_per_second : task.grid.dt();
  return std::make_unique<Objective>(options, keyframes, layout, block_duration, edges);
}

std::unique_ptr<Channels> make_channels(const Task& task, const VecX& vertex_mass,
                                        const SimulatorOptions& options) {
  if (task.channels.empty()) return nullptr;
  const ChannelContext context{task.cloth,    task.start.x,           vertex_mass,
                               task.length(), task.grid.step_count(), task.grid.substeps,
                               task.grid.dt()};
  std::vector<std::unique_ptr<Channel>> channels;
  for (const ChannelSpec& spec : task.channels) channels.push_back(make_channel(spec, context));
  return std::make_unique<Channels>(std::move(channels), task.cloth, task.start, options, task.drape);
}

// What the fabric is made of has no derivative where that is springs, and each of its numbers one channel.
void check_channels(const Task& task) {
  if (const auto repeated = repeated_number(task.channels))
    throw InputError("channel " + std::to_string(repeated->channel) + " (counted from 0), numbers: found " +
                     std::string(name_of(repeated->number)) +
                     ", which a channel before has, too; expected each in one channel; leave it out of one");
  if (task.cloth.model != ClothModel::kSprings) return;
  for (const ChannelSpec& channel : task.channels)
    if (channel.kind == ChannelKind::kMaterial || channel.kind == ChannelKind::kStretchScale)
      throw InputError(
          "cloth of springs is not differentiated by channels of its fabric; take the model of a sheet");
}

}  // namespace

ShootingOptions PreparedTask::shooting_options() const {
  return {.base = base(),
          .bounds = bounds ? &*bounds : nullptr,
          .channels = channels.get(),
          .cloth = &task.cloth};
}

PreparedTask prepare(Task task, std::shared_ptr<const Model> model) {
  check(task);
  check_channels(task);
  PreparedTask prepared;
  prepared.task = std::move(task);
  Task& ours = prepared.task;
  if (ours.effort.automatic)
    for (Target& target : ours.targets) set_default_tolerances(target, ours.length(), ours.grid.interval());
  prepared.model = model ? std::move(model) : std::make_shared<const Model>(build_model(ours.cloth));
  SimulatorOptions options = ours.simulator;
  options.dt = ours.grid.dt();
  options.first_step = ours.grid.first_step;
  prepared.simulator = std::make_unique<const Simulator>(*prepared.model, options);
  prepared.pushed = pushed_vertices(ours);
  std::unique_ptr<ControlLayout> layout = make_layout(ours, prepared.pushed, prepared.model->vertex_mass());
  prepared.channels = make_channels(ours, prepared.model->vertex_mass(), options);
  if (prepared.channels) layout->append_channels(prepared.channels->size());
  prepared.layout = std::move(layout);
  prepared.edges = rest_edges(ours.cloth.mesh);
  prepared.objective = make_objective(ours, *prepared.layout, prepared.edges);
  if (ours.take)
    start_from(prepared, *ours.take);
  else if (ours.pushing.max_acceleration)
    prepared.bounds = prepared.layout->bounds(*ours.pushing.max_acceleration);
  return prepared;
}

std::unique_ptr<ControlLayout> window_layout(const PreparedTask& prepared, const IntervalRange& range) {
  Task window = prepared.task;
  window.grid.interval_count = range.count();
  window.pushing.when.reset();
  return make_layout(window, prepared.pushed, prepared.model->vertex_mass());
}

void start_from(PreparedTask& prepared, Take take) {
  if (!take.channels.empty()) prepared.channels->start_from(take.channels);
  prepared.task.take = std::move(take);
  if (const auto& limit = prepared.task.pushing.max_acceleration)
    prepared.bounds = prepared.layout->bounds(*limit, prepared.base());
}

}  // namespace keydrape
