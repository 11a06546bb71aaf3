#include "io/shot/doubt/upright.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/shot/doubt/start_boxes.h"

namespace keydrape {
namespace {

// Of the cloth's extent along an axis: what is within so much of its end is at the end. The waist of a skirt
// is as slanted as 0.14 of its height, a hat's brim as 0.24 of its.
constexpr double kLowEnd = 0.1, kSideEnd = 0.15;
// Of its largest extent: cloth that is less high lies, one that is less deep is a flag.
constexpr double kFlat = 0.15;
// Of its height, from below: cloth that is held from here on upwards alone hangs.
constexpr double kHangs = 0.6;

std::vector<int> pinned_at_start(const ClothDescription& cloth) {
  std::vector<int> vertices;
  const auto add = [&](const auto& pins) {
    for (const auto& pin : pins)
      if (pin.begin_time <= 0.0) vertices.insert(vertices.end(), pin.vertices.begin(), pin.vertices.end());
  };
  add(cloth.pins);
  add(cloth.soft_pins);
  return vertices;
}

// What pins span of the cloth along an axis, as shares of its extent from its lower end.
struct Span {
  double low, high;
};
Span span_along(int axis, const Eigen::AlignedBox3d& pins, const Eigen::AlignedBox3d& cloth) {
  const double extent = cloth.sizes()[axis];
  return {(pins.min()[axis] - cloth.min()[axis]) / extent, (pins.max()[axis] - cloth.min()[axis]) / extent};
}

}  // namespace

void warn_of_axis(const Scene& scene, const ClothDescription& cloth, const VecX& start,
                  ShotWarnings& warnings) {
  const int up = scene.shot.up_axis == UpAxis::kY ? 1 : 2, other = 3 - up;
  const Vec3 g = cloth.gravity.at(0.0);
  const std::vector<int> pinned = pinned_at_start(cloth);
  if (pinned.empty() || cloth.pressure || !(-g[up] > 0.5 * g.norm())) return;
  const Eigen::AlignedBox3d box = box_of(start), pins = box_of(pinned, start);
  const double thick = kFlat * box.sizes().maxCoeff();
  if (!(box.sizes()[up] > thick)) return;
  for (const Eigen::AlignedBox3d& body : body_boxes(cloth))
    if (body.intersects(box)) return;
  const char *is = up == 1 ? "Y" : "Z", *would_be = up == 1 ? "Z" : "Y";
  const Span along_up = span_along(up, pins, box);
  if (along_up.high <= kLowEnd) {
    warnings.push_back(fmt::format(
        "{}: [shot] up_axis: with {} up the cloth stands on its pins, which hold the lowest {:.0f} % of its "
        "height, and falls over; is the mesh upside down, or {} its axis that points up?",
        scene.shot.source.where(), is, 100 * along_up.high, would_be));
    return;
  }
  if (!(box.sizes()[other] > thick && box.sizes()[0] > thick)) return;
  const Span across = span_along(other, pins, box);
  const bool is_at_end = across.low >= 1.0 - kSideEnd || across.high <= kSideEnd;
  if (is_at_end && along_up.low < kHangs)
    warnings.push_back(fmt::format(
        "{}: [shot] up_axis: with {} up the cloth sticks out level from its pins, which hold one end of it "
        "along {}; if that is the axis that points up in the mesh, set up_axis = \"{}\"",
        scene.shot.source.where(), is, would_be, would_be));
}

}  // namespace keydrape
