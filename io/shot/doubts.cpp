#include "io/shot/doubts.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/mesh/topology.h"
#include "io/file/short_number.h"

namespace keydrape {
namespace {

// Of the cloth's size. Bodies beyond these were not seen in any shot; single precision, in which caches are
// written, has seven digits.
constexpr double kFarthestBody = 50.0, kLargestBody = 20.0, kSmallestBody = 1e-3, kFinestTolerance = 1e-6,
                 kCoarseTolerance = 0.25;

using Extents = Eigen::AlignedBox3d;

class SlipFinder {
 public:
  SlipFinder(const Scene& scene, const ClothDescription& cloth, const VecX& start, ShotWarnings& warnings)
      : scene_(scene), warnings_(warnings), size_(bounding_box_diagonal(cloth.mesh.positions)) {
    for (Eigen::Index i = 0; i < start.size(); i += 3) around_.extend(Vec3(start.segment<3>(i)));
  }

  void of_gravity() const {
    if (!scene_.shot.gravity.is_constant()) return;
    const Vec3 g = scene_.shot.gravity.keys.front().second;
    const int up = scene_.shot.up_axis == UpAxis::kY ? 1 : 2;
    if (g.isZero(0) || -g[up] >= 0.5 * g.norm()) return;
    warn(scene_.shot.source, "[shot] gravity",
         fmt::format(
             "[{}, {}, {}] does not point down, with {} up; expected a negative number there, or up_axis "
             "= \"{}\"",
             g.x(), g.y(), g.z(), up == 1 ? "Y" : "Z", up == 1 ? "Z" : "Y"));
  }

  // Of a closed mesh that is to be inflated, and whose front is inside.
  void of_pressure(const ClothDescription& cloth) const {
    if (!scene_.cloth.pressure ||
        build_topology(cloth.mesh.triangles, cloth.mesh.vertex_count()).boundary_loop_count > 0)
      return;
    const auto& keys = scene_.cloth.pressure->keys;
    const bool inflates =
        std::all_of(keys.begin(), keys.end(), [](const auto& k) { return k.second >= 0.0; });
    double volume = 0.0;
    for (const auto& [i, j, k] : cloth.mesh.triangles)
      volume += cloth.mesh.positions[i].dot(cloth.mesh.positions[j].cross(cloth.mesh.positions[k])) / 6.0;
    if (inflates && volume < 0.0)
      warn(scene_.cloth.source, "[cloth] pressure",
           "the mesh is closed and its triangles face inwards, so that it is pressed together; expected a "
           "negative number, or flip the normals of the rest mesh and of all its poses");
  }

  void of_body(const scene::Collider& collider) const {
    const std::optional<Extents> box = box_of(collider);
    if (!box) return;
    double away = around_.exteriorDistance(moved(*box, collider.translate.keys.front().second));
    for (const auto& [frame, offset] : collider.translate.keys)
      away = std::min(away, around_.exteriorDistance(moved(*box, offset)));
    const double large = box->sizes().maxCoeff();
    if (away > kFarthestBody * size_)
      warn(collider.source, "[[collider]]",
           fmt::format(
               "this body is never nearer than {} to the first frame's cloth, which is {} large; is it in "
               "metres?",
               length_text(away), length_text(size_)));
    if (large > kLargestBody * size_ && !collider.box)
      warn(collider.source, "[[collider]]",
           fmt::format("this body is {} large, and the cloth {}; numbers in this file are metres",
                       length_text(large), length_text(size_)));
    if (large < kSmallestBody * size_)
      warn(collider.source, "[[collider]]",
           fmt::format("this body is {} large, and the cloth {}; is it in metres?", length_text(large),
                       length_text(size_)));
  }

  void of_tolerance(std::string_view key, const std::optional<double>& tolerance,
                    const SourcePosition& table) const {
    if (tolerance && *tolerance > kCoarseTolerance * size_)
      warn(table, key,
           fmt::format("found {} m, with a cloth of {}: so much asks for hardly anything; expected metres: "
                       "0.005 for 5 mm",
                       short_number(*tolerance), length_text(size_)));
    if (!tolerance || *tolerance >= kFinestTolerance * size_) return;
    warn(table, key,
         fmt::format(
             "found {} m, finer than files of single precision tell places of this cloth apart, {}; expected "
             "metres: 0.005 for 5 mm",
             short_number(*tolerance), length_text(kFinestTolerance * size_)));
  }

  void of_equal_keyframes() const {
    for (std::size_t j = 1; j < scene_.keyframes.size(); ++j)
      for (std::size_t i = 0; i < j; ++i) {
        const scene::Keyframe &a = scene_.keyframes[i], &b = scene_.keyframes[j];
        if (a.frame != b.frame || !a.mesh || !b.mesh || a.mesh->value != b.mesh->value) continue;
        if (name_of(a.group) != name_of(b.group) || name_of(a.weights) != name_of(b.weights)) continue;
        // One that only measures, or asks for velocities besides, says what the other does not.
        if (a.weight == 0.0 || b.weight == 0.0 || b.velocity_weight > 0.0) continue;
        if (name_of(a.window) != name_of(b.window)) continue;
        warn(b.source, "[[keyframe]]",
             fmt::format("asks for the same as {}: frame, mesh and vertices; leave one out",
                         a.source.where()));
        return;
      }
  }

  void of_knots() const {
    const int frames = scene_.shot.frames.count() - 1;
    if (!scene_.control.knots_every || *scene_.control.knots_every <= frames) return;
    warn(scene_.control.source, "[control] knots_every",
         fmt::format("found {} frames, and the shot has {}: forces can hardly change in it",
                     *scene_.control.knots_every, frames));
  }

 private:
  static Extents moved(const Extents& box, const Vec3& offset) {
    return {box.min() + offset, box.max() + offset};
  }

  static std::string name_of(const std::optional<scene::Group>& group) { return group ? group->value : ""; }
  static std::string name_of(const std::optional<scene::FilePath>& file) {
    return file ? file->value.string() : "";
  }

  static std::string name_of(const std::optional<FrameRange>& range) { return range ? range->text() : ""; }

  // Of closed forms that end somewhere, before they are moved; turns do not matter here.
  static std::optional<Extents> box_of(const scene::Collider& collider) {
    if (const auto& s = collider.sphere)
      return Extents(Vec3(s->center.array() - s->radius), Vec3(s->center.array() + s->radius));
    if (const auto& b = collider.box) return Extents(b->min, b->max);
    if (const auto& c = collider.capsule)
      return Extents(Vec3(c->start.cwiseMin(c->end).array() - c->radius),
                     Vec3(c->start.cwiseMax(c->end).array() + c->radius));
    return {};
  }

  void warn(const SourcePosition& at, std::string_view key, const std::string& text) const {
    warnings_.push_back(fmt::format("{}: {}: {}", at.where(), key, text));
  }

  const Scene& scene_;
  ShotWarnings& warnings_;
  double size_;     // of the cloth [m]
  Extents around_;  // the cloth at the first frame
};

}  // namespace

void warn_of_slips(const Scene& scene, const ClothDescription& cloth, const VecX& start,
                   ShotWarnings& warnings) {
  const SlipFinder find(scene, cloth, start, warnings);
  find.of_gravity();
  find.of_pressure(cloth);
  for (const scene::Collider& collider : scene.colliders) find.of_body(collider);
  for (const scene::Keyframe& table : scene.keyframes) {
    find.of_tolerance("[[keyframe]] tolerance", table.tolerance, table.source);
    find.of_tolerance("[[keyframe]] tolerance_max", table.tolerance_max, table.source);
  }
  for (const scene::Track& table : scene.tracks)
    find.of_tolerance("[[track]] tolerance", table.tolerance, table.source);
  find.of_equal_keyframes();
  find.of_knots();
}

}  // namespace keydrape
