#include "io/shot/left_behind.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <functional>
#include <vector>

#include "io/file/short_number.h"

namespace keydrape {
namespace {

// Of the cloth's size: pins are at a body that is nearer than the first, and it leaves them by more than the
// second. A figure that breathes or shifts its weight does not.
constexpr double kNear = 0.05, kLeaves = 0.2;

using Extents = Eigen::AlignedBox3d;

struct PlacedBody {
  int number;
  std::function<Extents(double)> at;  // its box at a time [m]
  bool deforms;                       // every time costs a level set
};

std::vector<PlacedBody> moving_bodies(const Scene& scene, const ClothDescription& cloth) {
  std::vector<PlacedBody> bodies;
  for (const VolumeBody& body : cloth.bodies)
    if (!body.collider->is_static())
      bodies.push_back({body.number,
                        [&body](double time) {
                          const BoundingBox box = body.collider->at(time).bounds();
                          return Extents(box.low, box.high);
                        },
                        scene.colliders[body.number].motion.has_value()});
  for (const SurfaceBody& body : cloth.surfaces)
    if (!body.mesh->is_static())
      bodies.push_back({body.number,
                        [&body](double time) {
                          Extents box;
                          const VecX x = body.mesh->at(time);
                          for (Eigen::Index i = 0; i < x.size(); i += 3) box.extend(Vec3(x.segment<3>(i)));
                          return box;
                        },
                        false});
  return bodies;
}

// A pin that stands still, and when.
struct StandingPin {
  int line;
  std::vector<int> vertices;
  FrameRange frames;
};

std::vector<StandingPin> standing_pins(const Scene& scene, const ShotClock& clock,
                                       const ClothDescription& cloth) {
  std::vector<StandingPin> pins;
  std::size_t hard = 0, soft = 0;  // tables keep their order among their own
  for (const scene::Pin& table : scene.pins) {
    const std::vector<int>& vertices =
        table.stiffness ? cloth.soft_pins[soft++].vertices : cloth.pins[hard++].vertices;
    if (!table.motion) pins.push_back({table.source.line, vertices, table.frames.value_or(clock.frames)});
  }
  return pins;
}

// How far the body's middle goes while the pin holds, and when it is farthest.
struct Leave {
  double farthest = 0.0;  // [m]
  int frame = 0;
};

Leave leave_of(const PlacedBody& body, const FrameRange& frames, const ShotClock& clock) {
  const Vec3 middle = body.at(clock.time_of_frame(frames.first)).center();
  Leave leave;
  const int every = body.deforms ? std::max(1, frames.count() - 1) : 1;
  for (int frame = frames.first + every; frame <= frames.last; frame += every) {
    const double away = (body.at(clock.time_of_frame(frame)).center() - middle).norm();
    if (away > leave.farthest) leave = {away, frame};
  }
  return leave;
}

}  // namespace

void warn_of_bodies_that_leave(const Scene& scene, const ShotClock& clock, const ClothDescription& cloth,
                               const VecX& start, ShotWarnings& warnings) {
  const double size = bounding_box_diagonal(cloth.mesh.positions);
  const std::vector<PlacedBody> bodies = moving_bodies(scene, cloth);
  if (bodies.empty()) return;
  for (const StandingPin& pin : standing_pins(scene, clock, cloth)) {
    Extents around;
    for (const int v : pin.vertices) around.extend(Vec3(start.segment<3>(3 * v)));
    for (const PlacedBody& body : bodies) {
      const Extents box = body.at(clock.time_of_frame(pin.frames.first));
      if (!box.sizes().allFinite()) continue;
      const bool is_within = std::any_of(pin.vertices.begin(), pin.vertices.end(), [&](int v) {
        return box.exteriorDistance(Vec3(start.segment<3>(3 * v))) < kNear * size;
      });
      if (!is_within && !around.contains(box.center())) continue;
      const Leave leave = leave_of(body, pin.frames, clock);
      if (leave.farthest <= kLeaves * size) continue;
      warnings.push_back(fmt::format(
          "{}: [[collider]]: this body is {} m from where it began by frame {}, and the [[pin]] of line "
          "{}, whose vertices are at it then, stays where it is: give the pin a motion that goes along, or "
          "end its frames",
          scene.colliders[body.number].source.where(), short_number(leave.farthest), leave.frame, pin.line));
    }
  }
}

}  // namespace keydrape
