#include "core/contact/body/level_set/mesh_distances.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>

#include <Eigen/Geometry>
#include <cassert>
#include <cmath>
#include <string>

#include "core/base/error.h"
#include "core/contact/body/level_set/copy_bricks.h"
#include "core/contact/body/level_set/exact_distances.h"
#include "core/contact/body/shape/distance_field.h"

namespace keydrape {
namespace {

// A shell as thick as the band round all triangles: an upper bound, for the shells of neighbours overlap.
double voxel_estimate(const std::vector<Vec3>& positions, const std::vector<Triangle>& triangles,
                      const MeshDistanceOptions& options) {
  double area = 0;
  for (const Triangle& t : triangles) {
    const Vec3& a = positions[t[0]];
    area += 0.5 * (positions[t[1]] - a).cross(positions[t[2]] - a).norm();
  }
  const double h = options.voxel;
  return area / (h * h) * 2 * (options.half_width / h);
}

// The corner of a brick in the middle of a mesh, in voxels: points relative to it lose least as floats.
Vec3 middle_of(const std::vector<Vec3>& positions, double voxel) {
  BoundingBox box;
  for (const Vec3& p : positions) box.add(p);
  return BrickGrid::kSide * Vec3((box.center() / (BrickGrid::kSide * voxel)).array().round());
}

// `middle`: of the grid's own voxel (0, 0, 0), in voxels.
std::vector<std::int32_t> copy_triangles(const openvdb::Int32Grid& nearest, const BrickGrid& grid,
                                         const Vec3& middle) {
  const Vec3 origin = Vec3((grid.origin / grid.voxel).array().round()) - middle;
  const openvdb::Coord first(static_cast<int>(origin.x()), static_cast<int>(origin.y()),
                             static_cast<int>(origin.z()));
  std::vector<std::int32_t> result(grid.values.size(), -1);
  const std::vector<Index3> places = grid.brick_places();
  for (int b = 0; b < grid.brick_count(); ++b) {
    const openvdb::Coord corner =
        first + openvdb::Coord(8 * places[b][0], 8 * places[b][1], 8 * places[b][2]);
    const auto* leaf = nearest.tree().probeConstLeaf(corner);
    if (!leaf) continue;
    for (int i = 0; i < BrickGrid::kVoxels; ++i)
      if (leaf->isValueOn(i))
        result[static_cast<std::size_t>(b) * BrickGrid::kVoxels + i] = leaf->getValue(i);
  }
  return result;
}

}  // namespace

MeshDistances mesh_distances(const std::vector<Vec3>& positions, const std::vector<Triangle>& triangles,
                             const MeshDistanceOptions& options) {
  assert(options.voxel > 0 && options.half_width > 0);
  const double h = options.voxel;
  const double estimate = voxel_estimate(positions, triangles, options);
  if (!(estimate < kMaxMeshVoxels)) {
    // The estimate falls with the square of the voxel at least. Rounded up, in the digits that are printed.
    const double enough = 1e-6 * std::ceil(1e6 * h * std::sqrt(estimate / kMaxMeshVoxels));
    throw InputError("the level set of this mesh would need more than " +
                     std::to_string(static_cast<int>(kMaxMeshVoxels / 1e6)) +
                     " million voxels; use voxels of " + std::to_string(enough) +
                     " m or larger ones, or a narrower band");
  }
  const auto transform = openvdb::math::Transform::createLinearTransform(h);
  // Voxels that OpenVDB believes to be farther away than they are must not be missing: see exact_distances.h.
  const float width = static_cast<float>(options.half_width / h + 1);
  // Renormalisation would bend distances that are exact already.
  const int flags = openvdb::tools::DISABLE_RENORMALIZATION;
  openvdb::Int32Grid nearest(openvdb::util::INVALID_IDX);
  const Vec3 middle = middle_of(positions, h);
  std::vector<openvdb::Vec3s> points;
  points.reserve(positions.size());
  for (const Vec3& x : positions) {
    const Vec3 p = x / h - middle;
    points.emplace_back(p.x(), p.y(), p.z());
  }
  std::vector<openvdb::Vec3I> corners;
  corners.reserve(triangles.size());
  for (const Triangle& t : triangles) corners.emplace_back(t[0], t[1], t[2]);
  // These very arguments have code in OpenVDB's library: compiled here, it would take a minute.
  openvdb::util::NullInterrupter no_interrupter;
  const openvdb::FloatGrid::Ptr grid = openvdb::tools::meshToVolume<openvdb::FloatGrid>(
      no_interrupter,
      openvdb::tools::QuadAndTriangleDataAdapter<openvdb::Vec3s, openvdb::Vec3I>(points, corners), *transform,
      width, width, flags, &nearest);

  MeshDistances result;
  result.grid = copy_bricks(*grid, h, h * middle, 1.0);
  result.grid.half_width = options.half_width;
  result.nearest_triangle = copy_triangles(nearest, result.grid, middle);
  make_exact(result.grid, result.nearest_triangle, positions, triangles);
  return result;
}

}  // namespace keydrape
