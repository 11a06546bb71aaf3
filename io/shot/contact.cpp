#include "io/shot/contact.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/contact/body/level_set/level_set_surface.h"
#include "core/contact/body/sample_points.h"
#include "core/contact/body/shape/capsule.h"
#include "core/contact/body/shape/half_space.h"
#include "core/contact/body/shape/rounded_box.h"
#include "core/contact/body/shape/sphere.h"
#include "io/file/interrupt.h"
#include "io/file/short_number.h"
#include "io/formats/vdb/vdb_file.h"
#include "io/scene/key_default.h"
#include "io/shot/body/body_mesh.h"
#include "io/shot/body/body_motion.h"
#include "io/shot/body/level_set.h"

namespace keydrape {
namespace {

// Of a level set's surface, for pictures: 0.36 MB of a report before compression.
constexpr int kMostShownTriangles = 20'000;

struct Shape {
  std::unique_ptr<const DistanceField> field;
  Vec3 middle;
  double point_spacing;
};

Vec3 middle_of(const BoundingBox& box) { return 0.5 * (box.low + box.high); }

// Its bounds are those of what is stored, as far as contact reaches, and not of the body: for one too thin
// to be seen.
Vec3 middle_of_body(const LevelSet& field) {
  const TriangleMesh surface = level_set_surface(field, kMostShownTriangles);
  return middle_of(surface.positions.empty() ? field.bounds() : bounding_box(surface));
}

// The middle of a closed form or of a mesh, about which it turns where the scene does not say.
Vec3 middle_of_shape(const scene::Collider& collider, const TriangleMesh& body) {
  using scene::ColliderKind;
  switch (collider.kind) {
    case ColliderKind::kSphere:
      return collider.sphere->center;
    case ColliderKind::kPlane:
      return collider.plane->point;
    case ColliderKind::kCapsule:
      return 0.5 * (collider.capsule->start + collider.capsule->end);
    case ColliderKind::kBox:
      return middle_of(BoundingBox{collider.box->min, collider.box->max});
    case ColliderKind::kMesh:
      return middle_of(bounding_box(body));
    case ColliderKind::kVdb:
      break;
  }
  assert(false && "a level set knows its middle by itself");
  return Vec3::Zero();
}

// `body`: the mesh of a collider that is one.
Shape read_shape(const Scene& scene, const scene::Collider& collider, const TriangleMesh& body,
                 const ContactLaw& law) {
  using scene::ColliderKind;
  switch (collider.kind) {
    case ColliderKind::kSphere:
      return {std::make_unique<Sphere>(collider.sphere->center, collider.sphere->radius),
              middle_of_shape(collider, body), spacing_on_ball(collider.sphere->radius, law)};
    case ColliderKind::kPlane:
      return {std::make_unique<HalfSpace>(collider.plane->point, collider.plane->normal),
              middle_of_shape(collider, body), std::numeric_limits<double>::infinity()};
    case ColliderKind::kCapsule: {
      const scene::Capsule& c = *collider.capsule;
      return {std::make_unique<Capsule>(Capsule::Axis{c.start, c.end}, c.radius),
              middle_of_shape(collider, body), spacing_on_ball(c.radius, law)};
    }
    case ColliderKind::kBox: {
      const BoundingBox box{collider.box->min, collider.box->max};
      // Rounding cuts an edge by 0.41 and a corner by 0.73 of this radius (S5): cloth may sink in by that
      // much less the gap.
      const double radius = RoundedBox::kDiscreetRadius * (box.high - box.low).minCoeff();
      return {std::make_unique<RoundedBox>(box, radius), middle_of_shape(collider, body),
              spacing_on_ball(radius, law)};
    }
    case ColliderKind::kMesh: {
      const LevelSetOptions options = level_set_options(collider, body, law);
      return {mesh_level_set(body.positions, body.triangles, options).field, middle_of_shape(collider, body),
              options.voxel};
    }
    case ColliderKind::kVdb: {
      auto field = read_vdb(VdbReference::parse(collider.vdb->value.string()),
                            {scene.shot.meters_per_unit, band_of(law)});
      const bool turns = !(collider.rotate.is_constant() && collider.rotate.keys[0].second.isZero(0));
      const Vec3 middle = turns && !collider.pivot ? middle_of_body(*field) : middle_of(field->bounds());
      const double voxel = field->voxel();
      return {std::move(field), middle, voxel};
    }
  }
  refuse_collider(collider, "no shape");
}

void warn_of_points(const Scene& scene, const scene::Collider& collider, ShotWarnings& warnings) {
  // A drape is found by barriers whatever the method.
  if (!collider.point_spacing || scene.cloth.initial.is_drape || keeps_points_out(scene)) return;
  warnings.push_back(fmt::format(
      "{}: [[collider]] point_spacing: found {} m, but [contact] method = {} keeps the cloth's vertices out "
      "of bodies and no point between them: those are looked at as the shot begins, and where contact is "
      "measured; leave it out, or take method = \"barrier\", \"penalty\" or \"impulses\"",
      collider.source.where(), short_number(*collider.point_spacing), toml_text(scene.contact->method)));
}

VolumeBody read_volume(const Scene& scene, const ShotClock& clock, const scene::Collider& collider,
                       const TriangleMesh& mesh, const ClothDescription& cloth, ShotWarnings& warnings) {
  const ContactLaw law = body_contact_law(cloth);
  VolumeBody body;
  VecX first = stacked(mesh.positions);
  if (collider.motion) {
    const LevelSetOptions options = level_set_options(collider, mesh, law);
    body.point_spacing = options.voxel;
    MotionTrack motion = read_body_motion(scene, collider, clock, mesh, warnings);
    first = motion.samples.front();
    body.collider = make_deforming_body(collider, clock, mesh, std::move(motion), options);
  } else {
    Shape shape = read_shape(scene, collider, mesh, law);
    body.point_spacing = shape.point_spacing;
    RigidMotion motion = make_rigid_motion(collider, clock, shape.middle);
    body.collider = std::make_shared<RigidCollider>(std::move(shape.field), std::move(motion));
  }
  if (collider.kind == scene::ColliderKind::kMesh) {
    const std::string doubt = describe_stand_out(*body.collider, mesh, first, body.point_spacing, cloth);
    if (!doubt.empty())
      warnings.push_back(fmt::format("{}: [[collider]] mesh: {}", collider.source.where(), doubt));
  }
  body.point_spacing = collider.point_spacing.value_or(body.point_spacing);
  warn_of_points(scene, collider, warnings);
  const double points = sample_point_bound(cloth.mesh.positions, cloth.mesh.triangles, body.point_spacing);
  if (points > kMostPoints) {
    refuse_collider(
        collider,
        fmt::format("point_spacing: {} m between the cloth's points that are held off this body "
                    "make {} of them; expected at most {}; set a larger point_spacing",
                    short_number(body.point_spacing), short_number(points, 2), short_number(kMostPoints)));
  }
  return body;
}

std::shared_ptr<const MovingMesh> read_surface(const Scene& scene, const ShotClock& clock,
                                               const scene::Collider& collider, const TriangleMesh& mesh,
                                               ShotWarnings& warnings) {
  if (collider.motion)
    return std::make_shared<MovingMesh>(read_body_motion(scene, collider, clock, mesh, warnings),
                                        mesh.triangles);
  return std::make_shared<MovingMesh>(mesh.positions, mesh.triangles,
                                      make_rigid_motion(collider, clock, middle_of_shape(collider, mesh)));
}

// Whether the triangles of a mesh collide: as the scene says, else if it is open.
bool is_surface(const scene::Collider& collider, const TriangleMesh& mesh, ShotWarnings& warnings) {
  if (collider.as) return *collider.as == scene::ColliderAs::kSurface;
  const auto open_edge = find_open_edge(mesh.triangles);
  if (!open_edge) return false;
  if (collider.voxel || collider.point_spacing)
    refuse_collider(
        collider,
        fmt::format("{}; leave out voxel and point_spacing, and it collides as a surface", *open_edge));
  warnings.push_back(
      fmt::format("{}: [[collider]] mesh: {}, or let it collide as a surface with two sides, as now; "
                  "as = \"surface\" says that this is meant",
                  collider.source.where(), *open_edge));
  return true;
}

// Within a step triangles of a body go straight: how far off their way a turn takes them, at most [m].
struct Bulge {
  double length = 0.0;
  int step = 0;
};

Bulge largest_bulge(const MovingMesh& surface, const ShotClock& clock) {
  Bulge largest;
  const RigidMotion& motion = surface.motion();
  if (motion.is_static()) return largest;
  const RigidPose first = motion.pose(0.0);
  const VecX x = surface.at(0.0);
  const auto rows = x.reshaped(3, x.size() / 3).rowwise();
  const Eigen::AlignedBox3d box(Vec3(rows.minCoeff()), Vec3(rows.maxCoeff()));
  for (int n = 0; n < clock.step_count(); ++n) {
    const double begin = n * clock.dt();
    const RigidPose before = motion.pose(begin), amid = motion.pose(begin + 0.5 * clock.dt()),
                    after = motion.pose(begin + clock.dt());
    for (int c = 0; c < 8; ++c) {  // it is an affine function of the place
      const Vec3 p = first.to_body(box.corner(static_cast<Eigen::AlignedBox3d::CornerType>(c)));
      const double off = (amid.to_world(p) - 0.5 * (before.to_world(p) + after.to_world(p))).norm();
      if (off > largest.length) largest = {off, n};
    }
  }
  return largest;
}

void warn_of_bulge(const scene::Collider& collider, const ShotClock& clock, const ClothDescription& cloth,
                   ShotWarnings& warnings) {
  const Bulge bulge = largest_bulge(*cloth.surfaces.back().mesh, clock);
  if (bulge.length <= surface_contact_law(cloth).barrier.thickness) return;
  warnings.push_back(
      fmt::format("{}: [[collider]] rotate: at frame {} it turns so fast that its triangles, which go "
                  "straight within a step, are {} m off their way: cloth that they meet there alone is "
                  "missed; raise substeps, or let it collide as a volume",
                  collider.source.where(), clock.frame_of_step(bulge.step), short_number(bulge.length, 2)));
}

void read_body(const Scene& scene, const ShotClock& clock, int number, ClothDescription& cloth,
               ShotWarnings& warnings) {
  throw_if_interrupted();  // bodies may take minutes
  const scene::Collider& collider = scene.colliders[number];
  const Keyed<double> of_contact = scene.contact ? scene.contact->friction : Keyed<double>(0.0);
  const Animated<double> friction =
      collider.friction.value_or(of_contact).over_time(clock.frames.first, clock.fps);
  TriangleMesh mesh;
  if (collider.kind == scene::ColliderKind::kMesh) {
    mesh = read_body_mesh(scene, collider, warnings);
    if (const std::string doubt = describe_tiny_body(mesh, cloth); !doubt.empty())
      warnings.push_back(fmt::format("{}: [[collider]] mesh: {}", collider.source.where(), doubt));
  }
  if (collider.kind == scene::ColliderKind::kMesh && is_surface(collider, mesh, warnings)) {
    if (is_of_bodies(cloth.contact.method))
      refuse_collider(
          collider,
          "mesh: its triangles are to be touched, and [contact] method knows bodies by their signed "
          "distance alone; expected a closed mesh as a volume (as = \"volume\"), or method = "
          "\"barrier\" or \"impulses\"");
    cloth.surfaces.push_back({read_surface(scene, clock, collider, mesh, warnings), friction, number});
    warn_of_bulge(collider, clock, cloth, warnings);
    return;
  }
  VolumeBody body = read_volume(scene, clock, collider, mesh, cloth, warnings);
  body.friction = friction;
  body.number = number;
  cloth.bodies.push_back(std::move(body));
}

// The level set of a .vdb file that `read_contact` made of collider `number`.
const RigidCollider& level_set_of(const std::vector<VolumeBody>& bodies, int number) {
  const auto body =
      std::find_if(bodies.begin(), bodies.end(), [&](const VolumeBody& b) { return b.number == number; });
  assert(body != bodies.end());
  return dynamic_cast<const RigidCollider&>(*body->collider);
}

}  // namespace

double spacing_on_ball(double radius, const ContactLaw& law) {
  return std::sqrt(6 * radius * std::max(law.barrier.thickness, 0.5 * law.barrier.activation));
}

void refuse_collider(const scene::Collider& collider, const std::string& what) {
  throw InputError(fmt::format("{}: [[collider]]: {}", collider.source.where(), what));
}

ShownBody read_shown_body(const Scene& scene, const ShotClock& clock, int number,
                          const std::vector<VolumeBody>& bodies) {
  const scene::Collider& collider = scene.colliders[number];
  if (collider.kind == scene::ColliderKind::kVdb) {
    const RigidCollider& body = level_set_of(bodies, number);
    return {level_set_surface(dynamic_cast<const LevelSet&>(body.field()), kMostShownTriangles),
            body.motion(),
            {}};
  }
  ShotWarnings known;  // read_contact has said them
  ShownBody body;
  if (collider.kind == scene::ColliderKind::kMesh) body.mesh = read_body_mesh(scene, collider, known);
  if (collider.motion)
    body.points = read_body_motion(scene, collider, clock, body.mesh, known).samples;
  else
    body.rigid = make_rigid_motion(collider, clock, middle_of_shape(collider, body.mesh));
  return body;
}

std::vector<ShownBody> read_shown_bodies(const Scene& scene, const ShotClock& clock,
                                         const std::vector<VolumeBody>& bodies) {
  std::vector<ShownBody> shown;
  for (std::size_t number = 0; number < scene.colliders.size(); ++number)
    shown.push_back(read_shown_body(scene, clock, static_cast<int>(number), bodies));
  return shown;
}

bool keeps_points_out(const Scene& scene) {
  return !scene.contact || !is_pass(scene.contact->method) ||
         scene.contact->method == ContactMethod::kImpulses;
}

void read_contact(const Scene& scene, const ShotClock& clock, ClothDescription& cloth,
                  ShotWarnings& warnings) {
  if (scene.contact) {
    const scene::Contact& contact = *scene.contact;
    if (contact.thickness) cloth.contact.body_gap = 0.5 * *contact.thickness;
    cloth.contact.activation = contact.activation;
    cloth.contact.stiffness = contact.stiffness;
    cloth.contact.friction = contact.friction.over_time(clock.frames.first, clock.fps);
    cloth.contact.sliding_speed = contact.sliding_speed;
    cloth.contact.self = contact.self;
    cloth.contact.method = contact.method;
    cloth.contact.restitution = contact.restitution;
    cloth.contact.exempt_start = contact.start_crossings == scene::StartCrossings::kExempt;
  }
  for (size_t number = 0; number < scene.colliders.size(); ++number) {
    const scene::Collider& collider = scene.colliders[number];
    try {
      read_body(scene, clock, static_cast<int>(number), cloth, warnings);
    } catch (const InputError& error) {
      // Whatever names a place in the scene file needs no other.
      if (std::string_view(error.what()).starts_with(collider.source.file + ":")) throw;
      refuse_collider(collider, error.what());
    }
  }
}

}  // namespace keydrape
