#include "control/task/task.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/constraint/hard_pin.h"
#include "core/mesh/mesh.h"

namespace keydrape {

double Task::length() const { return bounding_box_diagonal(cloth.mesh.positions); }

std::optional<int> intervals_to_last_target(const Task& task) {
  if (task.targets.empty() || task.effort.smooth_time > 0.0 || task.pushing.net == NetForce::kZeroImpulse)
    return std::nullopt;
  int last_state = 1;
  for (const Target& target : task.targets) {
    last_state = std::max(last_state, target.keyframe.state);
    if (!target.keyframe.candidates.empty())
      last_state = std::max(last_state, target.keyframe.candidates.back());
  }
  return (last_state + task.grid.substeps - 1) / task.grid.substeps;
}

void push_until_last_target(Task& task) {
  const std::optional<int> last = intervals_to_last_target(task);
  const IntervalRange now = task.pushing.when.value_or(task.grid.all());
  if (last && now.first < *last && *last < now.last) task.pushing.when = IntervalRange{now.first, *last};
}

void set_default_tolerances(Target& target, double length, double interval) {
  if (target.keyframe.weight > 0.0) {
    if (!target.tolerance) target.tolerance = kDefaultTolerance * length;
    if (target.keyframe.relative_to && target.keyframe.velocity_weight > 0.0 && !target.velocity_tolerance)
      target.velocity_tolerance = *target.tolerance / interval;
  } else if (target.keyframe.has_weight() && !target.velocity_tolerance) {
    target.velocity_tolerance = kDefaultTolerance * std::sqrt(kStandardGravity * length);
  }
}

double farthest_wanted(const Target& target) {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  if (target.tolerance_max) return *target.tolerance_max;
  return target.tolerance ? kFarthest * *target.tolerance : kAny;
}

std::vector<KeyframeTolerance> aimed_tolerances(const std::vector<Target>& targets) {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  std::vector<KeyframeTolerance> tolerances;
  tolerances.reserve(targets.size());
  for (const Target& target : targets)
    tolerances.push_back({target.keyframe.weight > 0.0 ? target.tolerance.value_or(kAny) : kAny,
                          target.velocity_tolerance.value_or(kAny),
                          target.keyframe.weight > 0.0 ? farthest_wanted(target) : kAny,
                          target.tolerance_max.has_value()});
  return tolerances;
}

PushedVertices pushed_vertices(const Task& task) {
  const Pushing& pushing = task.pushing;
  const int steps = task.grid.step_count();
  std::vector<int> times_held(static_cast<std::size_t>(task.vertex_count()), 0);
  for (int n = 0; n < steps && !pushing.counts_held; ++n) {
    const double time = (task.grid.first_step + n + 1) * task.grid.dt();
    const StepConstraints constraints(task.cloth.pins, time, task.vertex_count());
    for (const StepConstraints::Row& row : constraints.rows()) times_held[row.vertex] += row.S.isZero();
  }
  PushedVertices pushed;
  for (std::size_t k = 0; k < pushing.vertices.size(); ++k) {
    if (!pushing.counts_held && times_held[pushing.vertices[k]] == steps) continue;
    pushed.vertices.push_back(pushing.vertices[k]);
    pushed.weights.push_back(pushing.weights.empty() ? 1.0 : pushing.weights[k]);
  }
  return pushed;
}

}  // namespace keydrape
