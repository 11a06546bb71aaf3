#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/contact/body/collider.h"
#include "core/contact/body/level_set/mesh_level_set.h"
#include "core/contact/body/sample_points.h"
#include "core/contact/body/shape/capsule.h"
#include "core/contact/body/shape/half_space.h"
#include "core/contact/body/shape/rounded_box.h"
#include "core/contact/body/shape/sphere.h"
#include "io/python/bindings/cloth_parts.h"

// Colliders. The points at which cloth is held off them are as far apart as io/shot/contact.cpp has them.

namespace keydrape::python {
namespace {

struct BodyShape {
  std::unique_ptr<const DistanceField> field;
  double point_spacing;
};

constexpr double kVoxelsAlongMesh = 64.0;
constexpr double kMostPoints = 2e7;

double spacing_on_ball(double radius, const ContactLaw& law) {
  return std::sqrt(6 * radius * std::max(law.barrier.thickness, 0.5 * law.barrier.activation));
}

BodyShape read_box(const Part& body, const ContactLaw& law) {
  const BoundingBox box{body.vector("low"), body.vector("high")};
  if ((box.high - box.low).minCoeff() <= 0.0)
    throw InputError(body.name_of("high") + ": expected more than low in every component");
  const double radius = RoundedBox::kDiscreetRadius * (box.high - box.low).minCoeff();
  return {std::make_unique<RoundedBox>(box, radius), spacing_on_ball(radius, law)};
}

BodyShape read_body_mesh(const Part& body, const ContactLaw& law) {
  const VecX x = rows_of_three(body.field("vertices"), body.name_of("vertices"), -1, "one row a vertex [m]");
  std::vector<Vec3> positions;
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (Eigen::Index i = 0; i < x.size(); i += 3) {
    positions.push_back(x.segment<3>(i));
    low = low.cwiseMin(positions.back());
    high = high.cwiseMax(positions.back());
  }
  if (positions.empty()) throw InputError(body.name_of("vertices") + ": found none");
  const DoubleArray rows =
      doubles(body.field("triangles"), body.name_of("triangles"), {-1, 3}, "three vertices each");
  const std::vector<int> corners = indices(py::object(rows.attr("ravel")()), body.name_of("triangles"),
                                           static_cast<int>(positions.size()));
  std::vector<Triangle> triangles;
  for (std::size_t t = 0; t < corners.size(); t += 3)
    triangles.push_back({corners[t], corners[t + 1], corners[t + 2]});
  const double voxel = body.optional_number("voxel", Part::Range::kPositive)
                           .value_or((high - low).maxCoeff() / kVoxelsAlongMesh);
  const LevelSetOptions options{voxel, std::max(2 * law.barrier.range(), 2 * voxel)};
  try {
    return {mesh_level_set(positions, triangles, options).field, voxel};
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", body.name(), error.what()));
  }
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
  if (kind == "Body") return read_body_mesh(body, law);
  throw InputError(
      fmt::format("{}: found {}; expected Sphere, Plane, Capsule, Box or Body", body.name(), kind));
}

}  // namespace

void read_contact(const Part& contact, ClothDescription& cloth) {
  using Range = Part::Range;
  cloth.contact.self = contact.flag("self_contact");
  cloth.contact.friction = contact.number("friction", Range::kNotNegative);
  cloth.contact.activation = contact.optional_number("activation", Range::kPositive);
  cloth.contact.stiffness = contact.optional_number("stiffness", Range::kPositive);
  cloth.contact.sliding_speed = contact.number("sliding_speed", Range::kPositive);
  if (const auto thickness = contact.optional_number("thickness", Range::kPositive))
    cloth.contact.body_gap = 0.5 * *thickness;
}

void add_body(const Part& part, const VecX& start, ClothDescription& cloth) {
  const ContactLaw law = body_contact_law(cloth);
  BodyShape shape = read_shape(part, law);
  VolumeBody body;
  body.collider = std::make_shared<RigidCollider>(std::move(shape.field));
  body.friction = part.number("friction", Part::Range::kNotNegative);
  body.point_spacing = shape.point_spacing;
  body.number = static_cast<int>(cloth.bodies.size());
  if (sample_point_bound(cloth.mesh.positions, cloth.mesh.triangles, body.point_spacing) > kMostPoints)
    throw InputError(part.name() +
                     ": it is too finely resolved for cloth of this size; expected a larger voxel");
  const ColliderPose pose = body.collider->at(0.0);
  for (Eigen::Index i = 0; i < start.size() / 3; ++i) {
    const double distance = pose.distance(start.segment<3>(3 * i));
    if (distance <= law.barrier.thickness)
      throw InputError(
          fmt::format("{}: vertex {} is {:.3g} m from it at the start; expected more than {:.3g}; move "
                      "the body, or give another start",
                      part.name(), i, distance, law.barrier.thickness));
  }
  cloth.bodies.push_back(std::move(body));
}

}  // namespace keydrape::python
