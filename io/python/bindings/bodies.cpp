#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "core/base/error.h"
#include "core/contact/body/collider.h"
#include "core/contact/body/level_set/mesh_level_set.h"
#include "core/contact/body/sample_points.h"
#include "core/contact/body/shape/capsule.h"
#include "core/contact/body/shape/half_space.h"
#include "core/contact/body/shape/rounded_box.h"
#include "core/contact/body/shape/sphere.h"
#include "io/python/bindings/cloth_parts.h"
#include "io/python/bindings/in_time.h"
#include "io/shot/body/named_collider.h"
#include "io/shot/contact.h"

// Colliders. The points at which cloth is held off them are as far apart as io/shot/contact.cpp has them.

namespace keydrape::python {
namespace {

struct BodyShape {
  std::unique_ptr<const DistanceField> field;
  double point_spacing;
};

BodyShape read_box(const Part& body, const ContactLaw& law) {
  const BoundingBox box{body.vector("low"), body.vector("high")};
  if ((box.high - box.low).minCoeff() <= 0.0)
    throw InputError(body.name_of("high") + ": expected more than low in every component");
  const double radius = RoundedBox::kDiscreetRadius * (box.high - box.low).minCoeff();
  return {std::make_unique<RoundedBox>(box, radius), spacing_on_ball(radius, law)};
}

// A body that is a mesh, as it is at each frame.
struct BodyMesh {
  MotionTrack points;  // one sample: it keeps its shape
  std::vector<Triangle> triangles;

  std::vector<Vec3> at_first() const {
    std::vector<Vec3> positions;
    positions.reserve(static_cast<std::size_t>(points.point_count()));
    for (int i = 0; i < points.point_count(); ++i)
      positions.push_back(points.samples.front().segment<3>(3 * i));
    return positions;
  }
  double longest_side() const {
    BoundingBox box;
    for (const Triangle& t : triangles)
      for (const int v : t) box.add(points.samples.front().segment<3>(3 * v));
    return (box.high - box.low).maxCoeff();
  }
};

BodyMesh read_body_mesh(const Part& body, const ShotClock& clock) {
  BodyMesh mesh;
  mesh.points =
      points_in_time(body.field("vertices"), body.name_of("vertices"), -1, clock, "one row a vertex [m]");
  if (mesh.points.point_count() == 0) throw InputError(body.name_of("vertices") + ": found none");
  const std::vector<int> corners =
      indices(body.field("triangles"), body.name_of("triangles"), mesh.points.point_count(), 3);
  if (corners.empty()) throw InputError(body.name_of("triangles") + ": found none");
  for (std::size_t t = 0; t < corners.size(); t += 3)
    mesh.triangles.push_back({corners[t], corners[t + 1], corners[t + 2]});
  return mesh;
}

LevelSetOptions level_set_options(const Part& body, const BodyMesh& mesh, const ContactLaw& law) {
  const double band = 2 * law.barrier.range();
  const double voxel =
      body.optional_number("voxel", Part::Range::kPositive).value_or(usual_voxel(mesh.longest_side(), band));
  return {voxel, std::max(band, 2 * voxel)};
}

// Rotation number k of an array (keys, 3, 3).
Eigen::Quaterniond rotation_at(const DoubleArray& array, py::ssize_t k, const std::string& name) {
  constexpr double kRounding = 1e-6;
  const Mat3 R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(array.data() + 9 * k);
  const double off = (R * R.transpose() - Mat3::Identity()).cwiseAbs().maxCoeff();
  if (off > kRounding || R.determinant() < 0.0)
    throw InputError(
        fmt::format("{}[{}]: found a matrix that is no rotation (R R^T is off by {:.2g}, its "
                    "determinant is {:.3g}); expected rows and columns of length 1, at right "
                    "angles, right-handed",
                    name, k, off, R.determinant()));
  return Eigen::Quaterniond(R);
}

// Where a rigid body goes; at rest where the part has no path.
RigidMotion read_path(const Part& body, const ShotClock& clock) {
  constexpr double kMostTurn = 170.0;  // [degrees] between keys: of two ways round the shorter one is taken
  if (!body.has("path")) return RigidMotion();
  const Part path(body.field("path"), body.name_of("path"));
  const VecX frames = numbers(path.field("frames"), path.name_of("frames"), -1, "one a key");
  const py::ssize_t count = frames.size();
  if (count == 0) throw InputError(path.name_of("frames") + ": found none; expected one or more");
  const VecX places =
      rows_of_three(path.field("translations"), path.name_of("translations"), count, "one row a key [m]");
  DoubleArray turns;
  if (path.has("rotations"))
    turns = doubles(path.field("rotations"), path.name_of("rotations"), {count, 3, 3}, "a matrix a key");
  std::vector<RigidKey> keys;
  for (py::ssize_t k = 0; k < count; ++k) {
    if (k > 0 && frames(k) <= frames(k - 1))
      throw InputError(fmt::format("{}[{}]: found {} after {}; expected frames that ascend",
                                   path.name_of("frames"), k, frames(k), frames(k - 1)));
    const Eigen::Quaterniond turn = path.has("rotations") ? rotation_at(turns, k, path.name_of("rotations"))
                                                          : Eigen::Quaterniond::Identity();
    const double degrees =
        k == 0 ? 0.0 : keys.back().rotation.angularDistance(turn) * 180.0 / std::numbers::pi;
    if (degrees > kMostTurn)
      throw InputError(
          fmt::format("{}[{}]: found a turn of {:.4g} degrees from the key before; expected at "
                      "most {}, since there are two ways round; give a key in between",
                      path.name_of("rotations"), k, degrees, kMostTurn));
    keys.push_back({frames(k) / clock.fps, places.segment<3>(3 * k), turn});
  }
  return RigidMotion(std::move(keys));
}

// Throws where a mesh has both a path and a motion of its vertices.
void refuse_two_motions(const Part& body, const BodyMesh& mesh) {
  if (mesh.points.samples.size() > 1 && body.has("path"))
    throw InputError(fmt::format("{}: found a path beside vertices of {} frames; expected one of both",
                                 body.name_of("path"), mesh.points.samples.size()));
}

BodyShape read_shape(const Part& body, const ContactLaw& law) {
  constexpr auto kPositive = Part::Range::kPositive;
  const std::string kind = body.kind();
  if (kind == "Sphere") {
    const double radius = body.number("radius", kPositive);
    return {std::make_unique<Sphere>(body.vector("center"), radius), spacing_on_ball(radius, law)};
  }
  if (kind == "Capsule") {
    const double radius = body.number("radius", kPositive);
    return {std::make_unique<Capsule>(Capsule::Axis{body.vector("start"), body.vector("end")}, radius),
            spacing_on_ball(radius, law)};
  }
  if (kind == "Plane") {
    const Vec3 normal = body.vector("normal");
    if (normal.norm() == 0.0) throw InputError(body.name_of("normal") + ": found zero; expected a direction");
    return {std::make_unique<HalfSpace>(body.vector("point"), normal),
            std::numeric_limits<double>::infinity()};
  }
  if (kind == "Box") return read_box(body, law);
  throw InputError(
      fmt::format("{}: found {}; expected Sphere, Plane, Capsule, Box, Body or Surface", body.name(), kind));
}

VolumeBody read_rigid(const Part& part, const ShotClock& clock, const ContactLaw& law) {
  BodyShape shape = read_shape(part, law);
  VolumeBody body;
  body.point_spacing = shape.point_spacing;
  body.collider = std::make_shared<RigidCollider>(std::move(shape.field), read_path(part, clock));
  return body;
}

VolumeBody read_mesh_body(const Part& part, const ShotClock& clock, const ContactLaw& law) {
  BodyMesh mesh = read_body_mesh(part, clock);
  refuse_two_motions(part, mesh);
  RigidMotion path = read_path(part, clock);
  const LevelSetOptions options = level_set_options(part, mesh, law);
  VolumeBody body;
  body.point_spacing = options.voxel;
  try {
    if (mesh.points.samples.size() == 1) {
      const pybind11::gil_scoped_release released;  // minutes, where voxels are small
      body.collider = std::make_shared<RigidCollider>(
          mesh_level_set(mesh.at_first(), mesh.triangles, options).field, std::move(path));
    } else {
      body.collider = std::make_shared<NamedCollider>(
          std::make_unique<DeformingCollider>(std::move(mesh.points), std::move(mesh.triangles),
                                              DeformingColliderOptions{options}),
          part.name(), clock);
    }
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("{}: {}; a mesh that is open or thin is a Surface", part.name(), error.what()));
  }
  return body;
}

SurfaceBody read_surface(const Part& part, const ShotClock& clock) {
  BodyMesh mesh = read_body_mesh(part, clock);
  refuse_two_motions(part, mesh);
  SurfaceBody body;
  body.mesh =
      mesh.points.samples.size() > 1
          ? std::make_shared<MovingMesh>(std::move(mesh.points), std::move(mesh.triangles))
          : std::make_shared<MovingMesh>(mesh.at_first(), std::move(mesh.triangles), read_path(part, clock));
  return body;
}

Animated<double> read_friction(const Part& part, const ShotClock& clock) {
  return numbers_in_time(part.field("friction"), part.name_of("friction"), clock, 0.0, kLargest);
}

// Whether anything that the cloth touches ever holds it back.
bool rubs(const ClothDescription& cloth) {
  const auto is_rough = [](const auto& body) { return body.friction.is_ever_above(0.0); };
  return is_rough(cloth.contact) || std::any_of(cloth.bodies.begin(), cloth.bodies.end(), is_rough) ||
         std::any_of(cloth.surfaces.begin(), cloth.surfaces.end(), is_rough);
}

}  // namespace

void read_contact(const Part& contact, const ShotClock& clock, ClothDescription& cloth) {
  using Range = Part::Range;
  cloth.contact.method = one_of<ContactMethod>(
      contact, "method", {{"barrier", ContactMethod::kBarrier}, {"penalty", ContactMethod::kPenalty}});
  cloth.contact.self = contact.flag("self_contact");
  if (is_of_bodies(cloth.contact.method) && cloth.contact.self)
    throw InputError(
        contact.name_of("method") +
        ": found \"penalty\" with self_contact = True; expected self_contact = False: it keeps cloth out "
        "of closed bodies alone");
  cloth.contact.friction = read_friction(contact, clock);
  if (!cloth.contact.self && cloth.contact.friction.is_ever_above(0.0))
    contact.refuse_without_effect(
        "friction", "with self_contact = True, as that of the cloth on itself; colliders have their own");
  cloth.contact.activation = contact.optional_number("activation", Range::kPositive);
  cloth.contact.stiffness = contact.optional_number("stiffness", Range::kPositive);
  cloth.contact.sliding_speed = contact.number("sliding_speed", Range::kPositive);
  if (const auto thickness = contact.optional_number("thickness", Range::kPositive))
    cloth.contact.body_gap = 0.5 * *thickness;
}

void refuse_idle_contact(const Part& contact, const ClothDescription& cloth) {
  const bool has_speed = cloth.contact.sliding_speed != ContactOptions().sliding_speed;
  if (cloth.contact.self || !cloth.bodies.empty() || !cloth.surfaces.empty()) {
    if (has_speed && !rubs(cloth)) contact.refuse_without_effect("sliding_speed", "with a friction above 0");
    return;
  }
  const std::pair<const char*, bool> given[] = {
      {"thickness", cloth.contact.body_gap.has_value()},
      {"activation", cloth.contact.activation.has_value()},
      {"stiffness", cloth.contact.stiffness.has_value()},
      {"sliding_speed", has_speed},
  };
  for (const auto& [key, is_given] : given)
    if (is_given) contact.refuse_without_effect(key, "with colliders, or with self_contact = True");
}

MovingFrame read_moving_frame(const Part& frame, const ShotClock& clock) {
  const auto share = [&](const char* name) {
    return numbers_in_time(frame.field(name), frame.name_of(name), clock, 0.0, 1.0);
  };
  return {read_path(frame, clock), share("inertia"), share("air")};
}

void add_body(const Part& part, const ShotClock& clock, ClothDescription& cloth) {
  const Animated<double> friction = read_friction(part, clock);
  const int number = static_cast<int>(cloth.bodies.size() + cloth.surfaces.size());
  if (part.kind() == "Surface") {
    if (is_of_bodies(cloth.contact.method))
      throw InputError(part.name() +
                       ": a Surface is met as triangles; expected a Body, or contact.method = \"barrier\"");
    SurfaceBody surface = read_surface(part, clock);
    surface.friction = friction;
    surface.number = number;
    cloth.surfaces.push_back(std::move(surface));
    return;
  }
  const ContactLaw law = body_contact_law(cloth);
  VolumeBody body = part.kind() == "Body" ? read_mesh_body(part, clock, law) : read_rigid(part, clock, law);
  body.friction = friction;
  body.number = number;
  if (sample_point_bound(cloth.mesh.positions, cloth.mesh.triangles, body.point_spacing) > kMostPoints)
    throw InputError(part.name() + ": it is too finely resolved for cloth of this size; expected a larger " +
                     (part.kind() == "Body" ? "voxel" : "body, or less rounded edges"));
  cloth.bodies.push_back(std::move(body));
}

}  // namespace keydrape::python
