#include "control/task/task_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

#include "core/base/error.h"

namespace keydrape {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& found, const std::string& expected) {
  throw InputError(name + ": found " + found + "; expected " + expected);
}

// 1e-07 as that, not as 0.000000.
std::string number_text(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

void require_positive(const std::string& name, std::optional<double> value) {
  if (value && !(*value > 0.0 && std::isfinite(*value)))
    refuse(name, number_text(*value), "a finite number above 0");
}

void require_not_negative(const std::string& name, double value) {
  if (!(value >= 0.0 && std::isfinite(value)))
    refuse(name, number_text(value), "a finite number that is not negative");
}

void require_size(const std::string& name, std::size_t size, std::size_t expected) {
  if (size != expected) refuse(name, std::to_string(size) + " numbers", std::to_string(expected));
}

// Three of each vertex.
void require_vectors(const std::string& name, const VecX& values, int vertex_count) {
  require_size(name, values.size(), 3 * static_cast<std::size_t>(vertex_count));
  if (!values.allFinite()) refuse(name, "a number that is not finite", "finite ones");
}

void require_vertex_weight(const std::string& name, const VecX& omega, int vertex_count) {
  require_size(name, omega.size(), vertex_count);
  for (const double weight : omega) require_not_negative(name, weight);
  if (omega.maxCoeff() == 0.0) refuse(name, "zeros alone", "one above 0");
}

void check_grid(const StepGrid& grid) {
  require_positive("grid.interval_count", grid.interval_count);
  require_positive("grid.intervals_per_second", grid.intervals_per_second);
  require_positive("grid.substeps", grid.substeps);
  const double steps_per_second = grid.intervals_per_second * grid.substeps;
  if (!(steps_per_second >= 1e-30 && steps_per_second <= 1e30))
    refuse("grid.intervals_per_second", number_text(grid.intervals_per_second),
           "1e-30 to 1e30 steps in a second");
  const std::int64_t steps = std::int64_t{grid.interval_count} * grid.substeps;
  if (grid.first_step < 0 || grid.first_step + steps > std::numeric_limits<int>::max())
    refuse("grid", std::to_string(steps) + " steps from step " + std::to_string(grid.first_step) + " on",
           "steps from 0 to " + std::to_string(std::numeric_limits<int>::max()));
}

void check_vertices(const Pushing& pushing, int vertex_count) {
  const std::vector<int>& vertices = pushing.vertices;
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    const int least = k > 0 ? vertices[k - 1] + 1 : 0;
    if (vertices[k] < least || vertices[k] >= vertex_count)
      refuse("pushing.vertices[" + std::to_string(k) + "]", std::to_string(vertices[k]),
             "vertices from 0 to " + std::to_string(vertex_count - 1) + ", ascending, each once");
  }
  if (vertices.empty() || pushing.weights.empty()) return;  // without vertices there is nothing to weigh
  require_size("pushing.weights", pushing.weights.size(), vertices.size());
  for (std::size_t k = 0; k < vertices.size(); ++k)
    if (!(pushing.weights[k] > 0.0 && pushing.weights[k] <= 1.0))
      refuse("pushing.weights[" + std::to_string(k) + "]", number_text(pushing.weights[k]),
             "a number above 0 and up to 1; leave vertices out that are not pushed");
}

void check_pushing(const Pushing& pushing, const Task& task) {
  check_vertices(pushing, task.vertex_count());
  for (const auto& [time, share] : pushing.strength.keys())
    if (!(std::isfinite(time) && share > 0.0 && share <= 1.0))
      refuse("pushing.strength", number_text(share) + " at " + number_text(time) + " s",
             "numbers above 0 and up to 1; leave intervals out of pushing.when in which nothing is pushed");
  if (const auto& when = pushing.when) {
    const int count = task.grid.interval_count;
    if (!(0 <= when->first && when->first < when->last && when->last <= count))
      refuse("pushing.when", std::to_string(when->first) + " to " + std::to_string(when->last),
             "an interval or more, within 0 to " + std::to_string(count));
  }
  require_positive("pushing.knots_every", pushing.knots_every);
  require_positive("pushing.modes", pushing.modes);
  require_positive("pushing.max_acceleration", pushing.max_acceleration);
  if (pushing.max_acceleration && (pushing.modes || pushing.net != NetForce::kFree))
    throw InputError(
        "pushing.max_acceleration: goes neither with modes nor with a net force that is held; leave one of "
        "them out");
}

// Which states of a run it compares.
void check_states(const std::string& name, const Keyframe& keyframe, int step_count) {
  const std::string states = "1 to " + std::to_string(step_count) + ", the states after the start";
  const auto require_within = [&](const std::string& of, int state) {
    if (state < 1 || state > step_count) refuse(of, std::to_string(state), states);
  };
  const std::vector<int>& candidates = keyframe.candidates;
  require_within(name + ".state", keyframe.state);
  for (const int state : candidates) require_within(name + ".candidates", state);
  if (!std::is_sorted(candidates.begin(), candidates.end()))
    refuse(name + ".candidates", "states that do not ascend", "ascending ones");
  if (!candidates.empty() && !std::binary_search(candidates.begin(), candidates.end(), keyframe.state))
    refuse(name + ".state", std::to_string(keyframe.state) + ", which is not among candidates",
           "one of them");
  const int earliest = candidates.empty() ? keyframe.state : candidates.front();
  if (const auto& other = keyframe.relative_to; other && (*other < 0 || *other >= earliest))
    refuse(name + ".relative_to", std::to_string(*other),
           "0 to " + std::to_string(earliest - 1) + ", a state before the one that is compared");
}

void check_keyframe(const std::string& name, const Keyframe& keyframe, const Task& task) {
  const int n = task.vertex_count();
  check_states(name, keyframe, task.grid.step_count());
  require_vectors(name + ".target", keyframe.target, n);
  require_vertex_weight(name + ".vertex_weight", keyframe.vertex_weight, n);
  require_not_negative(name + ".weight", keyframe.weight);
  require_not_negative(name + ".velocity_weight", keyframe.velocity_weight);
  if (keyframe.velocity_weight > 0.0 || keyframe.target_velocity.size() > 0)
    require_vectors(name + ".target_velocity", keyframe.target_velocity, n);
  if (keyframe.velocity_vertex_weight.size() > 0)
    require_vertex_weight(name + ".velocity_vertex_weight", keyframe.velocity_vertex_weight, n);
  if (!keyframe.directions.empty()) require_size(name + ".directions", keyframe.directions.size(), n);
  for (const Mat3& directions : keyframe.directions)
    if (!directions.allFinite()) refuse(name + ".directions", "a number that is not finite", "finite ones");
  if (keyframe.vertex_factor.size() > 0)
    require_size(name + ".vertex_factor", keyframe.vertex_factor.size(), n);
  for (const double factor : keyframe.vertex_factor)
    if (!(factor >= 1.0 && std::isfinite(factor)))
      refuse(name + ".vertex_factor", number_text(factor), "finite numbers, 1 or more");
}

void check_target(const std::string& name, const Target& target, const Task& task) {
  check_keyframe(name + ".keyframe", target.keyframe, task);
  require_positive(name + ".tolerance", target.tolerance);
  require_positive(name + ".tolerance_max", target.tolerance_max);
  require_positive(name + ".velocity_tolerance", target.velocity_tolerance);
  // A velocity without weight is not measured, and would count as met.
  if (target.velocity_tolerance && !(target.keyframe.velocity_weight > 0.0))
    throw InputError(name + ": found velocity_tolerance without velocity_weight; expected both, or neither");
}

void check_effort(const EffortPolicy& effort) {
  if (effort.automatic) require_positive("effort.value", effort.value);
  require_not_negative("effort.value", effort.value);
  require_not_negative("effort.smooth_time", effort.smooth_time);
  require_not_negative("effort.smooth_space", effort.smooth_space);
  require_positive("effort.share", effort.share);
}

}  // namespace

void check(const Task& task) {
  if (task.vertex_count() == 0) refuse("cloth.mesh", "no vertices", "one or more");
  check_grid(task.grid);
  require_vectors("start.x", task.start.x, task.vertex_count());
  require_vectors("start.v", task.start.v, task.vertex_count());
  if (task.before) {
    require_vectors("before.x", task.before->x, task.vertex_count());
    require_vectors("before.v", task.before->v, task.vertex_count());
  }
  check_pushing(task.pushing, task);
  for (std::size_t k = 0; k < task.targets.size(); ++k)
    check_target("targets[" + std::to_string(k) + "]", task.targets[k], task);
  check_effort(task.effort);
}

}  // namespace keydrape
