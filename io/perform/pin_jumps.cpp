#include "io/perform/pin_jumps.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/inspect/overlap.h"
#include "io/file/short_number.h"
#include "io/shot/doubt/vertex_words.h"

namespace keydrape {
namespace {

// So far, over the cloth's size, a pin may take hold from where the cloth is: nobody sees that.
constexpr double kUnseenJump = 0.01;

// By how much gravity and a moving frame change the way of what is at `x` as a step begins [m]. It ends at
// `time`, and takes dt.
double free_change(const ClothDescription& cloth, const Vec3& x, double time, double dt) {
  const double fall = dt * dt * cloth.gravity.at(time).norm();
  if (!cloth.frame) return fall;
  const RigidMotion& motion = cloth.frame->motion;
  const Vec3 p = motion.pose(time - dt).to_body(x);
  return fall + (motion.pose(time).to_world(p) - 2.0 * x + motion.pose(time - 2.0 * dt).to_world(p)).norm();
}

// Of a pin that holds for the first time at this state, behind the first; `held`: what another had just
// before. Cloth that is caught may go on as it flew, or stop where it was: neither is a jump.
PinJump farthest_jump(const HardPin& pin, const Trajectory& trajectory, int state, double dt,
                      const std::vector<char>& held) {
  const State& now = trajectory.states[static_cast<std::size_t>(state)];
  const State& before = trajectory.states[static_cast<std::size_t>(state) - 1];
  PinJump farthest;
  for (const int vertex : pin.vertices) {
    if (held[static_cast<std::size_t>(vertex)]) continue;
    const auto of_vertex = [&](const VecX& values) { return Vec3(values.segment<3>(3 * vertex)); };
    const auto held_part = [&](const Vec3& way) { return (way - pin.free * way).norm(); };
    const Vec3 way = of_vertex(now.x) - of_vertex(before.x);
    const double distance = std::min(held_part(way), held_part(way - dt * of_vertex(before.v)));
    if (distance <= farthest.distance) continue;
    farthest.distance = distance;
    farthest.vertex = vertex;
  }
  return farthest;
}

}  // namespace

std::vector<PinJump> find_pin_jumps(const Scene& scene, const Shot& shot, const Trajectory& trajectory) {
  const ClothDescription& cloth = shot.task().cloth;
  const double dt = shot.simulator().dt(), size = bounding_box_diagonal(cloth.mesh.positions);
  std::vector<PinJump> jumps;
  auto held = cloth.pins.begin();  // one for each table of a hard pin
  for (const scene::Pin& table : scene.pins) {
    if (table.stiffness) continue;
    const HardPin& pin = *held++;
    const int frame = table.frames.value_or(shot.clock.frames).first;
    const int state = shot.clock.state_of_frame(frame);
    if (state == 0 || state > trajectory.step_count()) continue;
    PinJump jump = farthest_jump(pin, trajectory, state, dt, held_vertices(cloth, (state - 1) * dt));
    const Vec3 from = trajectory.states[static_cast<std::size_t>(state) - 1].x.segment<3>(3 * jump.vertex);
    if (!(jump.distance > kUnseenJump * size + free_change(cloth, from, state * dt, dt))) continue;
    jump.pin = table.source;
    jump.frame = frame;
    jumps.push_back(jump);
  }
  return jumps;
}

std::string pin_jump_warning(const Shot& shot, const PinJump& jump) {
  return fmt::format(
      "{}: [[pin]] frames: when it takes hold, at frame {}, {} is {} m from where it is to be held, and "
      "jumps there in one step; give the pin a motion that begins where the cloth is then, or a stiffness "
      "that grows from 0 at that frame",
      jump.pin.where(), jump.frame, vertex_in_words(shot.rest(), jump.vertex), short_number(jump.distance));
}

}  // namespace keydrape
