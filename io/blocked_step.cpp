#include "io/blocked_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/constraint/hard_pin.h"

namespace keydrape {
namespace {

// By vertex: whether a pin holds it in all directions.
std::vector<char> held_at(const StepConstraints& pins, int vertex_count) {
  std::vector<char> held(vertex_count, 0);
  for (const StepConstraints::Row& row : pins.rows()) held[row.vertex] = row.S.isZero(0.0);
  return held;
}

}  // namespace

std::string describe_blocked(const Shot& shot, const Trajectory& trajectory, int n) {
  const int count = shot.model->vertex_count();
  const double dt = shot.simulator->dt(), begin = n * dt, end = (n + 1) * dt;
  const StepConstraints before(shot.model->pins(), begin, count), now(shot.model->pins(), end, count);
  const std::vector<char> was_held = held_at(before, count), is_held = held_at(now, count);
  VecX x = trajectory.states[n].x;
  now.impose(x);
  int vertex = -1, number = -1;
  double depth = 0.0;
  for (const ClothBody& body : shot.bodies) {
    const ColliderPose pose = body.collider->at(end);
    for (int v = 0; v < count; ++v) {
      if (is_held[v]) continue;
      const double inside = -pose.distance(x.segment<3>(3 * v));
      if (inside > depth) depth = inside, vertex = v, number = body.number;
    }
  }
  if (vertex < 0) return "";
  return fmt::format("; vertex {}, counted from 0, is {:.2g} m within [[collider]] {}, counted from 0{}",
                     vertex, depth, number,
                     was_held[vertex] ? ", where a pin let it go: hold it until the body has left it" : "");
}

}  // namespace keydrape
