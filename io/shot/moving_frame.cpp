#include "io/shot/moving_frame.h"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "core/base/error.h"
#include "io/shot/body/body_motion.h"
#include "io/shot/contact.h"

namespace keydrape {

RigidMotion nearest_rigid_motion(const std::vector<VecX>& samples, double interval) {
  const Eigen::Index n = samples.front().size() / 3;
  const Eigen::Map<const Eigen::Matrix3Xd> first(samples.front().data(), 3, n);
  const Vec3 middle = first.rowwise().mean();
  std::vector<RigidKey> keys;
  for (const VecX& sample : samples) {
    const Eigen::Map<const Eigen::Matrix3Xd> now(sample.data(), 3, n);
    const Eigen::Matrix4d pose = Eigen::umeyama(first, now, false);
    const Mat3 turn = pose.topLeftCorner<3, 3>();
    keys.push_back({static_cast<double>(keys.size()) * interval, turn * middle + pose.topRightCorner<3, 1>(),
                    Eigen::Quaterniond(turn)});
  }
  return RigidMotion(std::move(keys), middle, RigidPath::kStraight);
}

namespace {

RigidMotion motion_of_collider(const Scene& scene, const ShotClock& clock,
                               const std::vector<VolumeBody>& bodies) {
  const scene::MovingFrame& table = scene.moving_frame;
  const int number = *table.collider, count = static_cast<int>(scene.colliders.size());
  const auto refuse = [&](const std::string& what) {
    throw InputError(
        fmt::format("{}: [moving_frame] collider: found {}; {}", table.source.where(), number, what));
  };
  if (number >= count)
    refuse(fmt::format("expected the number of one of {} colliders, counted from 0", count));
  ShownBody body = read_shown_body(scene, clock, number, bodies);
  if (!body.points.empty()) return nearest_rigid_motion(body.points, 1.0 / clock.fps);
  if (body.rigid.is_static())
    refuse(fmt::format("expected one that moves, and that of {} has no translate, rotate or motion",
                       scene.colliders[number].source.where()));
  return std::move(body.rigid);
}

}  // namespace

std::optional<MovingFrame> read_moving_frame(const Scene& scene, const ShotClock& clock,
                                             const std::vector<VolumeBody>& bodies) {
  const scene::MovingFrame& table = scene.moving_frame;
  if (table.source.line == 0) return {};
  RigidMotion motion = table.collider
                           ? motion_of_collider(scene, clock, bodies)
                           : make_rigid_motion(table, table.source, "[moving_frame]", clock, Vec3::Zero());
  return MovingFrame{std::move(motion), table.inertia.over_time(clock.frames.first, clock.fps),
                     table.air.over_time(clock.frames.first, clock.fps)};
}

void warn_of_pins_left_behind(const Scene& scene, const ClothDescription& cloth, ShotWarnings& warnings) {
  const auto& inertia = scene.moving_frame.inertia.keys;
  const bool carries =
      std::any_of(inertia.begin(), inertia.end(), [](const auto& k) { return k.second > 0.0; });
  const bool all_stand = std::none_of(scene.pins.begin(), scene.pins.end(),
                                      [](const scene::Pin& pin) { return pin.motion.has_value(); });
  if (!cloth.frame || cloth.frame->motion.is_static() || !carries || scene.pins.empty() || !all_stand) return;
  warnings.push_back(
      fmt::format("{}: [moving_frame]: carries the cloth with it, and the [[pin]] of line {} stands still: "
                  "the cloth is torn between both; give the pin the same motion, or inertia = 0 if only the "
                  "air is to move",
                  scene.moving_frame.source.where(), scene.pins.front().source.line));
}

}  // namespace keydrape
