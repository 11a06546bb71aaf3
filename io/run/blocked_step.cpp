#include "io/run/blocked_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/constraint/hard_pin.h"
#include "io/file/counted.h"
#include "io/file/short_number.h"

namespace keydrape {
namespace {

// By vertex: whether a pin holds it in all directions.
std::vector<char> held_at(const StepConstraints& pins, int vertex_count) {
  std::vector<char> held(vertex_count, 0);
  for (const StepConstraints::Row& row : pins.rows()) held[row.vertex] = row.S.isZero(0.0);
  return held;
}

// The vertex that is deepest within a volume.
std::string describe_deepest(const Shot& shot, const VecX& x, const StepConstraints& before,
                             const StepConstraints& now, double time) {
  const int count = shot.model().vertex_count();
  const std::vector<char> was_held = held_at(before, count), is_held = held_at(now, count);
  int vertex = -1, number = -1;
  double depth = 0.0;
  for (const VolumeBody& body : shot.bodies()) {
    const ColliderPose pose = body.collider->at(time);
    for (int v = 0; v < count; ++v) {
      if (is_held[v]) continue;
      const double inside = -pose.distance(x.segment<3>(3 * v));
      if (inside > depth) depth = inside, vertex = v, number = body.number;
    }
  }
  if (vertex < 0) return "";
  return fmt::format("; vertex {}, counted from 0, is {} m within [[collider]] {}, counted from 0{}", vertex,
                     short_number(depth, 2), number,
                     was_held[vertex]
                         ? ", where a pin let it go: hold it until the body has left it"
                         : ": where bodies, or parts of one, close on the cloth it needs room between them");
}

}  // namespace

std::string describe_blocked(const Shot& shot, const Trajectory& trajectory, int n) {
  const Model& model = shot.model();
  const State& start = trajectory.states[n];
  const double dt = shot.simulator().dt(), end = (n + 1) * dt;
  const StepConstraints before(model.pins(), n * dt, model.vertex_count()),
      now(model.pins(), end, model.vertex_count());
  VecX x = start.x;
  now.impose(x);
  StepStart step{dt, end, start.x, start.v};
  step.exempt = start.exempt;
  std::string text;
  for (const auto& energy : model.energies()) {
    const bool is_surface = energy->couples_what_touches();
    if (!is_surface && energy->name() != "strain limit") continue;  // what is in volumes is told below
    const int count = energy->begin_step(step)->limit()->count_violations(x);
    if (count == 0) continue;
    text += is_surface
                ? fmt::format("; the cloth is too near to itself or a surface in {}", counted(count, "place"))
                : fmt::format("; {} beyond the strain limit", counted(count, "triangle is", "triangles are"));
  }
  if (text.empty() && !model.filters().empty())
    text = shot.task().cloth.contact.method == ContactMethod::kProjection
               ? fmt::format("; {} ended a step in the middle of a body, where no way out is known",
                             counted(trajectory.reports[n].violations, "vertex", "vertices"))
               : "; pins or bodies press it from two sides, so that impulses find no way";
  return text + describe_deepest(shot, x, before, now, end);
}

std::string describe_flat(const Shot& shot, const Trajectory& trajectory, int n) {
  constexpr double kNoArea = 1e-14;  // of the square over its longest edge
  const Model& model = shot.model();
  VecX x = trajectory.states[n].x;
  StepConstraints(model.pins(), (n + 1) * shot.simulator().dt(), model.vertex_count()).impose(x);
  const std::vector<Triangle>& triangles = shot.rest().triangles;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto& [i, j, k] = triangles[t];
    const Vec3 a = x.segment<3>(3 * j) - x.segment<3>(3 * i), b = x.segment<3>(3 * k) - x.segment<3>(3 * i);
    const double longest = std::max({a.squaredNorm(), b.squaredNorm(), (a - b).squaredNorm()});
    if (a.cross(b).norm() <= kNoArea * longest)
      return fmt::format(
          "; triangle {} of vertices {}, {} and {}, all counted from 0, is pressed to no area by pins", t, i,
          j, k);
  }
  return "";
}

}  // namespace keydrape
