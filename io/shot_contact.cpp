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
#include "core/contact/intersection.h"
#include "core/error.h"
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

// `body`: the mesh of a collider that is one.
Shape open_shape(const Scene& scene, const scene::Collider& collider, const TriangleMesh& body,
                 const ContactLaw& law) {
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

MotionTrack open_body_motion(const Scene& scene, const scene::Collider& collider, const ShotClock& clock,
                             int vertex_count, ShotWarnings& warnings) {
  std::vector<int> all(vertex_count);
  std::iota(all.begin(), all.end(), 0);
  return open_motion(scene, *collider.motion, clock, {all, vertex_count, clock.frames.last}, warnings);
}

ClothBody open_volume(const Scene& scene, const ShotClock& clock, const scene::Collider& collider,
                      const TriangleMesh& mesh, const ContactLaw& law, ShotWarnings& warnings) {
  ClothBody body;
  if (collider.motion) {
    const LevelSetOptions options = level_set_options(collider, mesh, law);
    body.point_spacing = options.voxel;
    body.collider = std::make_shared<DeformingCollider>(
        open_body_motion(scene, collider, clock, mesh.vertex_count(), warnings), mesh.triangles,
        DeformingColliderOptions{options});
  } else {
    Shape shape = open_shape(scene, collider, mesh, law);
    body.point_spacing = shape.point_spacing;
    RigidMotion motion = open_rigid_motion(collider, clock, shape.middle);
    body.collider = std::make_shared<RigidCollider>(std::move(shape.field), std::move(motion));
  }
  body.point_spacing = collider.point_spacing.value_or(body.point_spacing);
  return body;
}

std::shared_ptr<const MovingMesh> open_surface(const Scene& scene, const ShotClock& clock,
                                               const scene::Collider& collider, const TriangleMesh& mesh,
                                               ShotWarnings& warnings) {
  if (collider.motion)
    return std::make_shared<MovingMesh>(
        open_body_motion(scene, collider, clock, mesh.vertex_count(), warnings), mesh.triangles);
  return std::make_shared<MovingMesh>(
      mesh.positions, mesh.triangles,
      open_rigid_motion(collider, clock, middle_of(box_around(mesh.positions))));
}

// Whether the triangles of a mesh collide: as the scene says, else if it is open.
bool is_surface(const scene::Collider& collider, const TriangleMesh& mesh, ShotWarnings& warnings) {
  if (collider.as) return *collider.as == scene::ColliderAs::kSurface;
  const auto open_edge = find_open_edge(mesh.triangles);
  if (!open_edge) return false;
  if (collider.voxel || collider.point_spacing)
    refuse(collider,
           fmt::format("{}; leave out voxel and point_spacing, and it collides as a surface", *open_edge));
  warnings.push_back(
      fmt::format("{}: [[collider]] mesh: {}, or let it collide as a surface with two sides, as now; "
                  "as = \"surface\" says that this is meant",
                  collider.source.where(), *open_edge));
  return true;
}

void open_body(const Scene& scene, const ShotClock& clock, int number, ClothDescription& cloth,
               ShotWarnings& warnings) {
  const scene::Collider& collider = scene.colliders[number];
  const double friction = collider.friction.value_or(scene.contact ? scene.contact->friction : 0.0);
  TriangleMesh mesh;
  if (collider.kind == scene::ColliderKind::kMesh) mesh = open_body_mesh(scene, collider);
  if (collider.kind == scene::ColliderKind::kMesh && is_surface(collider, mesh, warnings)) {
    cloth.surfaces.push_back({open_surface(scene, clock, collider, mesh, warnings), friction, number});
    return;
  }
  ClothBody body = open_volume(scene, clock, collider, mesh, body_contact_law(cloth), warnings);
  body.friction = friction;
  body.number = number;
  cloth.bodies.push_back(std::move(body));
}

std::vector<char> held_at_start(const ClothDescription& cloth) {
  std::vector<char> is_held(cloth.mesh.vertex_count(), 0);
  for (const HardPin& pin : cloth.pins)
    if (pin.free.isZero(0.0) && pin.begin_time <= 0.0)
      for (int v : pin.vertices) is_held[v] = 1;
  return is_held;
}

// Points of the cloth that a body leaves too little room.
struct TooClose {
  int count = 0;
  SamplePoint deepest;
  double depth = -1.0;  // of the deepest beyond the gap [m]

  void add(const SamplePoint& point, double missing) {
    ++count;
    if (missing > depth) deepest = point, depth = missing;
  }
};

void refuse_start_in_bodies(const Scene& scene, const ClothDescription& cloth, const VecX& x) {
  const double gap = body_contact_law(cloth).barrier.thickness;
  const std::vector<char> is_held = held_at_start(cloth);
  for (const ClothBody& body : cloth.bodies) {
    const scene::Collider& collider = scene.colliders[body.number];
    const ColliderPose pose = body.collider->at(0.0);
    TooClose vertices, between;
    for (const SamplePoint& point :
         sample_points(cloth.mesh.positions, cloth.mesh.triangles, body.point_spacing)) {
      const double missing = gap - pose.distance(point.position(x));
      if (!CollidingCloth::is_free(point, is_held) || missing < 0.0) continue;
      (point.count == 1 ? vertices : between).add(point, missing);
    }
    const std::array<int, 3>& v = between.deepest.vertices;
    if (vertices.count > 0)
      refuse(collider,
             fmt::format("at the first frame {} vertices of the cloth are inside of this body or nearer to "
                         "it than {:.3g} "
                         "m, vertex {} by {:.3g} m; move the cloth ([cloth] initial) or the body",
                         vertices.count, gap, vertices.deepest.vertices[0], vertices.depth));
    if (between.count > 0)
      refuse(collider,
             fmt::format(
                 "at the first frame this body reaches through the cloth, or nearer to it than {:.3g} "
                 "m, at {} points between its vertices, by {:.3g} m {}; move the cloth ([cloth] "
                 "initial) or the body",
                 gap, between.count, between.depth,
                 between.deepest.count == 2 ? fmt::format("on edge ({}, {})", v[0], v[1])
                                            : fmt::format("in the triangle ({}, {}, {})", v[0], v[1], v[2])));
  }
}

// In how many places triangles are nearer than they may be.
int count_too_close(const ClothDescription& cloth, const VecX& x) {
  const VecX at_rest = VecX::Zero(x.size());
  const auto contact = make_self_contact(cloth, x);
  return SelfContactStep(*contact, {1.0, 0.0, x, at_rest}).count_violations(x);
}

void refuse_start_in_itself(const Scene& scene, const ClothDescription& cloth, const VecX& x) {
  const std::string where =
      fmt::format("{}: [contact] self: at the first frame ", scene.contact->source.where());
  const Intersections through = find_intersections(cloth.mesh.triangles, x);
  if (through.count > 0)
    throw InputError(fmt::format(
        "{}the cloth goes through itself in {} places, the first where the edge of vertices {} and {} passes "
        "through triangle {}, counted from 0; pull the layers apart in [cloth] initial, or set self = false",
        where, through.count, through.first->edge[0], through.first->edge[1], through.first->face));
  ClothDescription alone = cloth;
  alone.surfaces.clear();
  if (const int close = count_too_close(alone, x))
    throw InputError(fmt::format(
        "{}layers of the cloth are nearer than its thickness of {:.3g} m in {} places; pull them apart in "
        "[cloth] initial, or make thickness smaller",
        where, self_contact_law(cloth).barrier.thickness, close));
}

// Triangles of held vertices may be in a body.
void refuse_start_in_surfaces(const Scene& scene, const ClothDescription& cloth, const VecX& x) {
  const std::vector<char> is_held = held_at_start(cloth);
  std::vector<Triangle> free;
  for (const Triangle& t : cloth.mesh.triangles)
    if (!is_held[t[0]] && !is_held[t[1]] && !is_held[t[2]]) free.push_back(t);
  for (const ClothSurface& surface : cloth.surfaces) {
    const int n = cloth.mesh.vertex_count();
    std::vector<Triangle> both = free;
    for (const auto& [i, j, k] : surface.mesh->triangles()) both.push_back({i + n, j + n, k + n});
    const VecX of_body = surface.mesh->at(0.0);
    VecX all(x.size() + of_body.size());
    all << x, of_body;
    const Intersections through = find_intersections(both, all, n);
    if (through.count > 0) {
      const EdgeThroughFace& first = *through.first;
      const bool is_cloth = first.edge[0] < n;
      const int vertex = is_cloth ? first.edge[0] : both[first.face][0];
      refuse(
          scene.colliders[surface.number],
          fmt::format("at the first frame the cloth goes through this body in {} places, the first near the "
                      "cloth's vertex {}, counted from 0; move the cloth ([cloth] initial) or the body",
                      through.count, vertex));
    }
    ClothDescription alone = cloth;
    alone.contact.self = false;
    alone.surfaces = {surface};
    if (const int close = count_too_close(alone, x))
      refuse(scene.colliders[surface.number],
             fmt::format(
                 "at the first frame the cloth is nearer to this body than {:.3g} m in {} places; move the "
                 "cloth ([cloth] initial) or the body",
                 body_contact_law(cloth).barrier.thickness, close));
  }
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
  for (size_t number = 0; number < scene.colliders.size(); ++number) {
    const scene::Collider& collider = scene.colliders[number];
    try {
      open_body(scene, clock, static_cast<int>(number), cloth, warnings);
    } catch (const InputError& error) {
      const std::string where = collider.source.where();
      if (std::string_view(error.what()).starts_with(where)) throw;
      refuse(collider, error.what());
    }
  }
}

void refuse_bad_start(const Scene& scene, const ClothDescription& cloth, const VecX& x) {
  refuse_start_in_bodies(scene, cloth, x);
  refuse_start_in_surfaces(scene, cloth, x);
  if (cloth.contact.self) refuse_start_in_itself(scene, cloth, x);
}

}  // namespace keydrape
