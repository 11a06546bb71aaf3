#include "io/shot_contact.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/contact/collider/capsule.h"
#include "core/contact/collider/half_space.h"
#include "core/contact/collider/rounded_box.h"
#include "core/contact/collider/sphere.h"
#include "core/error.h"
#include "core/overlap.h"
#include "core/repair.h"
#include "io/obj.h"
#include "io/shot_motion.h"
#include "io/vdb_file.h"

namespace keydrape {
namespace {

// Levels of a mesh's distances along its longest side, where the scene does not say.
constexpr double kVoxelsAlongMesh = 64;

[[noreturn]] void refuse(const scene::Collider& collider, const std::string& what) {
  throw InputError(fmt::format("{}: [[collider]]: {}", collider.source.where(), what));
}

// How far from a body its distance has to be smooth: contact, and room beyond it.
double band_of(const ContactLaw& law) { return 2 * law.barrier.range(); }

// Spacing at which flat triangles sink into a ball of radius r by less than the gap (S12).
double spacing_on_ball(double radius, const ContactLaw& law) {
  return std::sqrt(6 * radius * std::max(law.barrier.thickness, 0.5 * law.barrier.activation));
}

struct Shape {
  std::unique_ptr<const DistanceField> field;
  Vec3 middle;
  double point_spacing;
};

Vec3 middle_of(const BoundingBox& box) { return 0.5 * (box.low + box.high); }

TriangleMesh open_body_mesh(const Scene& scene, const scene::Collider& collider) {
  TriangleMesh mesh = read_obj(collider.mesh->value, {.keep_uvs = false});
  for (Vec3& p : mesh.positions) p *= scene.shot.meters_per_unit;
  return mesh;
}

BoundingBox box_around(const std::vector<Vec3>& positions) {
  BoundingBox box;
  for (const Vec3& p : positions) box.add(p);
  return box;
}

LevelSetOptions level_set_options(const scene::Collider& collider, const TriangleMesh& body,
                                  const ContactLaw& law) {
  const BoundingBox box = box_around(body.positions);
  const double voxel = collider.voxel.value_or((box.high - box.low).maxCoeff() / kVoxelsAlongMesh);
  return {voxel, std::max(band_of(law), 2 * voxel)};
}

Shape open_shape(const Scene& scene, const scene::Collider& collider, const ContactLaw& law) {
  using scene::ColliderKind;
  switch (collider.kind) {
    case ColliderKind::kSphere:
      return {std::make_unique<Sphere>(collider.sphere->center, collider.sphere->radius),
              collider.sphere->center, spacing_on_ball(collider.sphere->radius, law)};
    case ColliderKind::kPlane:
      return {std::make_unique<HalfSpace>(collider.plane->point, collider.plane->normal),
              collider.plane->point, std::numeric_limits<double>::infinity()};
    case ColliderKind::kCapsule: {
      const scene::Capsule& c = *collider.capsule;
      return {std::make_unique<Capsule>(Capsule::Axis{c.start, c.end}, c.radius), 0.5 * (c.start + c.end),
              spacing_on_ball(c.radius, law)};
    }
    case ColliderKind::kBox: {
      const BoundingBox box{collider.box->min, collider.box->max};
      // Rounding cuts an edge by 0.41 and a corner by 0.73 of this radius (S5): cloth may sink in by that
      // much less the gap.
      const double radius = RoundedBox::kDiscreetRadius * (box.high - box.low).minCoeff();
      return {std::make_unique<RoundedBox>(box, radius), middle_of(box), spacing_on_ball(radius, law)};
    }
    case ColliderKind::kMesh: {
      const TriangleMesh body = open_body_mesh(scene, collider);
      const LevelSetOptions options = level_set_options(collider, body, law);
      return {mesh_level_set(body.positions, body.triangles, options).field,
              middle_of(box_around(body.positions)), options.voxel};
    }
    case ColliderKind::kVdb: {
      auto field = read_vdb(VdbReference::parse(collider.vdb->value.string()),
                            {scene.shot.meters_per_unit, band_of(law)});
      const Vec3 middle = middle_of(field->bounds());
      const double voxel = field->voxel();
      return {std::move(field), middle, voxel};
    }
  }
  refuse(collider, "no shape");
}

// Keys on every frame between the scene's own: angles run evenly between those, however far they turn.
RigidMotion open_rigid_motion(const scene::Collider& collider, const ShotClock& clock, const Vec3& middle) {
  if (collider.translate.is_constant() && collider.rotate.is_constant() &&
      collider.rotate.keys[0].second.isZero(0) && collider.translate.keys[0].second.isZero(0))
    return RigidMotion();
  const Vec3 pivot = collider.pivot.value_or(middle);
  const Animated<Vec3> translate = collider.translate.over_time(clock.frames.first, clock.fps);
  const Animated<Vec3> rotate = collider.rotate.over_time(clock.frames.first, clock.fps);
  const auto key = [&](int frame) {
    const double time = clock.time_of_frame(frame);
    const Vec3 angle = rotate.at(time) * (std::numbers::pi / 180);
    const Eigen::Quaterniond turn = Eigen::AngleAxisd(angle.z(), Vec3::UnitZ()) *
                                    Eigen::AngleAxisd(angle.y(), Vec3::UnitY()) *
                                    Eigen::AngleAxisd(angle.x(), Vec3::UnitX());
    return RigidKey{time, pivot + translate.at(time) - turn * pivot, turn};
  };
  std::vector<RigidKey> keys{key(clock.frames.first)};
  if (!collider.translate.is_constant() || !collider.rotate.is_constant())
    for (int f = clock.frames.first + 1; f <= clock.frames.last; ++f) keys.push_back(key(f));
  return RigidMotion(std::move(keys));
}

std::shared_ptr<const Collider> open_deforming(const Scene& scene, const scene::Collider& collider,
                                               const ShotClock& clock, const ContactLaw& law, double& spacing,
                                               ShotWarnings& warnings) {
  const TriangleMesh body = open_body_mesh(scene, collider);
  std::vector<int> all(body.vertex_count());
  std::iota(all.begin(), all.end(), 0);
  MotionTrack motion =
      open_motion(scene, *collider.motion, clock, {all, body.vertex_count(), clock.frames.last}, warnings);
  const LevelSetOptions options = level_set_options(collider, body, law);
  spacing = options.voxel;
  return std::make_shared<DeformingCollider>(std::move(motion), body.triangles,
                                             DeformingColliderOptions{options});
}

ClothBody open_body(const Scene& scene, const ShotClock& clock, const scene::Collider& collider,
                    const ContactLaw& law, ShotWarnings& warnings) {
  ClothBody body;
  body.friction = collider.friction.value_or(scene.contact ? scene.contact->friction : 0.0);
  if (collider.motion) {
    body.collider = open_deforming(scene, collider, clock, law, body.point_spacing, warnings);
  } else {
    Shape shape = open_shape(scene, collider, law);
    body.point_spacing = shape.point_spacing;
    RigidMotion motion = open_rigid_motion(collider, clock, shape.middle);
    body.collider = std::make_shared<RigidCollider>(std::move(shape.field), std::move(motion));
  }
  body.point_spacing = collider.point_spacing.value_or(body.point_spacing);
  return body;
}

std::string place(const SamplePoint& point) {
  const std::array<int, 3>& v = point.vertices;
  return point.count == 2 ? fmt::format("on edge ({}, {})", v[0], v[1])
                          : fmt::format("in the triangle ({}, {}, {})", v[0], v[1], v[2]);
}

void refuse_start_in_bodies(const Scene& scene, const ClothDescription& cloth, const VecX& x) {
  const double gap = body_contact_law(cloth).barrier.thickness;
  const std::vector<BodyOverlap> overlaps = overlaps_with_bodies(cloth, x, 0.0, held_vertices(cloth, 0.0));
  if (overlaps.empty()) return;
  const BodyOverlap& first = overlaps.front();
  if (first.vertex_count > 0)
    refuse(
        scene.colliders[first.body],
        fmt::format(
            "at the first frame {} vertices of the cloth are inside of this body or nearer to it than "
            "{:.3g} m, vertex {} by {:.3g} m; move the cloth ([cloth] initial) or the body, or set repair = "
            "true under [contact]",
            first.vertex_count, gap, first.deepest.vertices[0], first.depth));
  refuse(
      scene.colliders[first.body],
      fmt::format(
          "at the first frame this body reaches through the cloth, or nearer to it than {:.3g} m, at {} "
          "points between its vertices, by {:.3g} m {}; move the cloth ([cloth] initial) or the body, or set "
          "repair = true under [contact]",
          gap, first.between_count, first.depth, place(first.deepest)));
}

void refuse_start_in_itself(const Scene& scene, const ClothDescription& cloth, const VecX& x) {
  const std::string where =
      fmt::format("{}: [contact] self: at the first frame ", scene.contact->source.where());
  const SelfOverlap overlap = overlap_with_itself(cloth, x, std::vector<char>(cloth.mesh.vertex_count(), 0));
  const Intersections& through = overlap.through;
  if (through.count > 0)
    throw InputError(fmt::format(
        "{}the cloth goes through itself in {} places, the first where the edge of vertices {} and {} passes "
        "through triangle {}, counted from 0; pull the layers apart in [cloth] initial, or set repair = true "
        "or self = "
        "false",
        where, through.count, through.first->edge[0], through.first->edge[1], through.first->face));
  if (overlap.close_count > 0)
    throw InputError(fmt::format(
        "{}layers of the cloth are nearer than its thickness of {:.3g} m in {} places; pull them apart in "
        "[cloth] initial, make thickness smaller, or set repair = true",
        where, self_contact_law(cloth).barrier.thickness, overlap.close_count));
}

}  // namespace

void open_contact(const Scene& scene, const ShotClock& clock, ClothDescription& cloth,
                  ShotWarnings& warnings) {
  if (scene.contact) {
    const scene::Contact& contact = *scene.contact;
    if (contact.thickness) cloth.contact.body_gap = 0.5 * *contact.thickness;
    cloth.contact.activation = contact.activation;
    cloth.contact.stiffness = contact.stiffness;
    cloth.contact.friction = contact.friction;
    cloth.contact.sliding_speed = contact.sliding_speed;
    cloth.contact.self = contact.self;
  }
  const ContactLaw law = body_contact_law(cloth);
  for (const scene::Collider& collider : scene.colliders) {
    try {
      cloth.bodies.push_back(open_body(scene, clock, collider, law, warnings));
    } catch (const InputError& error) {
      const std::string where = collider.source.where();
      if (std::string_view(error.what()).starts_with(where)) throw;
      refuse(collider, error.what());
    }
  }
}

void refuse_bad_start(const Scene& scene, const ClothDescription& cloth, const VecX& x) {
  refuse_start_in_bodies(scene, cloth, x);
  if (cloth.contact.self) refuse_start_in_itself(scene, cloth, x);
}

VecX repaired_start(const Scene& scene, const ClothDescription& cloth, const VecX& x,
                    ShotWarnings& warnings) {
  if (!scene.contact || !scene.contact->repair) return x;
  RepairResult repair = repair_start(cloth, x);
  const std::string where = fmt::format("{}: [contact] repair: ", scene.contact->source.where());
  if (!repair.is_clean) {
    try {
      refuse_bad_start(scene, cloth, x);
    } catch (const InputError& error) {
      throw InputError(
          fmt::format("{}; repair = true was tried for {} passes and failed", error.what(), repair.passes));
    }
  }
  if (repair.passes > 0)
    warnings.push_back(fmt::format(
        "{}at the first frame the cloth was within a body, through itself or too near to it; it was moved to "
        "where it is not, vertex {} farthest, by {:.3g} m",
        where, repair.farthest_vertex, repair.displacement));
  return std::move(repair.x);
}

}  // namespace keydrape
