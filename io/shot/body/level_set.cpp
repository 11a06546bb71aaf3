#include "io/shot/body/level_set.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "io/file/short_number.h"
#include "io/shot/body/body_motion.h"
#include "io/shot/body/mesh_parts.h"
#include "io/shot/body/named_collider.h"

namespace keydrape {
namespace {

// Of a body that deforms, in every step: one to two minutes and about 1 GB (mesh_distances.h).
constexpr double kMostVoxels = 20e6;
// Of a body that is made once: some 10 GB.
constexpr double kMostVoxelsAtRest = 200e6;
constexpr double kSurfaceSpacing = 1.0 / 3;  // [voxels], as mesh_level_set
constexpr double kSeen = 0.25;               // of a mean edge of the cloth
constexpr double kNearBy = 1e-3;             // of what cloth shows

// In the shell of what is nearer to the mesh than the band and a margin: along its area, and in a ball as
// large, which is most of it where the body is smaller.
double voxel_count(const TriangleMesh& body, const VecX& x, const LevelSetOptions& options) {
  double area = 0.0;
  for (const Triangle& t : body.triangles) {
    const Vec3 a = x.segment<3>(3 * t[0]), b = x.segment<3>(3 * t[1]), c = x.segment<3>(3 * t[2]);
    area += 0.5 * (b - a).cross(c - a).norm();
  }
  const double h = options.voxel, w = options.band + LevelSet::kMargin * h;
  return (2 * area * w + 4.0 / 3 * std::numbers::pi * w * w * w) / (h * h * h);
}

// A point of the mesh below the surface that cloth feels.
struct SunkPoint {
  double depth;  // [m]
  Vec3 position, normal;
};

// Those at least `least` [m] below the surface that `distance` has, among points a third of a voxel apart.
template <class Distance>
std::vector<SunkPoint> sunk_points(const Distance& distance, const TriangleMesh& mesh, const VecX& x,
                                   double voxel, double least) {
  std::vector<SunkPoint> sunk;
  for (const Triangle& t : mesh.triangles) {
    const Vec3 a = x.segment<3>(3 * t[0]), b = x.segment<3>(3 * t[1]), c = x.segment<3>(3 * t[2]);
    const Vec3 normal = (b - a).cross(c - a).normalized();
    if (normal.isZero()) continue;  // its points are points of its neighbours
    const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    const int n = std::max(1, static_cast<int>(std::ceil(longest / (kSurfaceSpacing * voxel))));
    for (int i = 0; i <= n; ++i)
      for (int j = 0; i + j <= n; ++j) {
        const Vec3 p = ((n - i - j) * a + i * b + j * c) / n;
        const double depth = -distance(p);
        if (depth >= least) sunk.push_back({depth, p, normal});
      }
  }
  return sunk;
}

// The deepest of them that cloth could lie on; 0 if there is none. What other parts of the mesh enclose, or
// come nearer to than `least` [m], stands out from nothing: it is inside of their union.
double stand_out(std::vector<SunkPoint> sunk, const TriangleMesh& mesh, const VecX& x, double least) {
  if (sunk.empty()) return 0.0;
  std::sort(sunk.begin(), sunk.end(),
            [](const SunkPoint& a, const SunkPoint& b) { return a.depth > b.depth; });
  const MeshParts parts(mesh, x);
  // Near by and at `least`, on the side of the triangle that is the outer one: it may be turned either way.
  const auto is_open = [&](const SunkPoint& p, double way) {
    return !parts.enclose(p.position + kNearBy * way * p.normal) &&
           !parts.enclose(p.position + way * p.normal);
  };
  const auto is_bare = [&](const SunkPoint& p) { return is_open(p, least) || is_open(p, -least); };
  const auto deepest = std::find_if(sunk.begin(), sunk.end(), is_bare);
  return deepest == sunk.end() ? 0.0 : deepest->depth;
}

}  // namespace

LevelSetOptions level_set_options(const scene::Collider& collider, const TriangleMesh& body,
                                  const ContactLaw& law) {
  const BoundingBox box = bounding_box(body);
  const double side = (box.high - box.low).maxCoeff();
  const auto refuse = [&](const std::string& found, const std::string& expected, const std::string& remedy) {
    throw InputError(fmt::format("{}: [[collider]] mesh: {}; expected {}; {}", collider.mesh->source.where(),
                                 found, expected, remedy));
  };
  if (!(side > 0.0)) refuse("all points of this body are one", "a closed mesh", "export it again");
  const double band = band_of(law), voxel = collider.voxel.value_or(usual_voxel(side, band));
  if (voxel > side)
    refuse(fmt::format("voxel = {:.3g} m, and the body's longest side is {:.3g} m", voxel, side),
           "a fraction of that", "leave voxel out for 1/64 of it, or check meters_per_unit");
  const LevelSetOptions options{voxel, std::max(band, 2 * voxel)};
  const double count = voxel_count(body, stacked(body.positions), options);
  if (!(count < kMostVoxelsAtRest))
    refuse(fmt::format("the distances of this body need about {:.2g} voxels of {:.3g} m", count, voxel),
           fmt::format("at most {:.2g}", kMostVoxelsAtRest), "set a larger voxel, or check meters_per_unit");
  return options;
}

std::shared_ptr<const Collider> make_deforming_body(const scene::Collider& collider, const ShotClock& clock,
                                                    const TriangleMesh& body, MotionTrack motion,
                                                    const LevelSetOptions& options) {
  const std::string name = fmt::format("{}: [[collider]] motion: {}", collider.motion->source.where(),
                                       collider.motion->value.string());
  for (std::size_t f = 0; f < motion.samples.size(); ++f) {
    const double count = voxel_count(body, motion.samples[f], options);
    if (count < kMostVoxels) continue;
    throw InputError(fmt::format(
        "{}: at frame {} the distances of this body need about {} voxels of {} m; "
        "expected at most {}; set a larger voxel, or give mesh and motion in one unit if they are not",
        name, clock.frames.first + static_cast<int>(f), short_number(count, 2), short_number(options.voxel),
        short_number(kMostVoxels, 2)));
  }
  return std::make_shared<NamedCollider>(
      std::make_unique<DeformingCollider>(std::move(motion), body.triangles,
                                          DeformingColliderOptions{options}),
      name, clock);
}

std::string describe_stand_out(const Collider& body, const TriangleMesh& mesh, const VecX& x, double voxel,
                               const ClothDescription& cloth) {
  const double least = std::max(2 * body_contact_law(cloth).barrier.thickness, kSeen * mean_side(cloth.mesh));
  std::vector<SunkPoint> sunk;
  if (const auto* rigid = dynamic_cast<const RigidCollider*>(&body)) {
    sunk = sunk_points([&](const Vec3& p) { return rigid->field().distance(p); }, mesh, x, voxel, least);
  } else {
    const ColliderPose pose = body.at(0.0);
    sunk = sunk_points([&](const Vec3& p) { return pose.distance(p); }, mesh, x, voxel, least);
  }
  const double found = stand_out(std::move(sunk), mesh, x, least);
  if (found == 0.0) return "";
  return fmt::format(
      "with voxel = {} m the body that cloth feels stands out from the mesh by up to {} m where "
      "it is thin or sharp; set a smaller voxel, or make a [[collider]] of each part",
      short_number(voxel), short_number(found, 2));
}

std::string describe_tiny_body(const TriangleMesh& mesh, const ClothDescription& cloth) {
  const BoundingBox box = bounding_box(mesh);
  const double side = (box.high - box.low).maxCoeff(), edge = mean_side(cloth.mesh);
  if (!(side < edge)) return "";
  return fmt::format(
      "this body is {} m large, and the cloth's mean edge {} m: is it in another unit than the cloth? "
      "meters_per_unit holds for all meshes",
      short_number(side, 2), short_number(edge, 2));
}

}  // namespace keydrape
