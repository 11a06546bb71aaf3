#include "core/contact/collider/mesh_distances.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>

#include <Eigen/Geometry>
#include <cassert>
#include <string>

#include "core/contact/collider/copy_bricks.h"
#include "core/contact/collider/exact_distances.h"
#include "core/error.h"

namespace keydrape {
namespace {

// The mesh as OpenVDB asks for it: in units of voxels.
struct IndexSpaceMesh {
  const std::vector<Vec3>& positions;
  const std::vector<Triangle>& triangles;
  double voxel;

  size_t polygonCount() const { return triangles.size(); }
  size_t pointCount() const { return positions.size(); }
  size_t vertexCount(size_t) const { return 3; }
  void getIndexSpacePoint(size_t triangle, size_t corner, openvdb::Vec3d& p) const {
    const Vec3& x = positions[triangles[triangle][corner]];
    p.init(x.x() / voxel, x.y() / voxel, x.z() / voxel);
  }
};

// A shell as thick as the band round all triangles: an upper bound, for the shells of neighbours overlap.
double voxel_estimate(const IndexSpaceMesh& mesh, double half_width) {
  double area = 0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3& a = mesh.positions[t[0]];
    area += 0.5 * (mesh.positions[t[1]] - a).cross(mesh.positions[t[2]] - a).norm();
  }
  const double h = mesh.voxel;
  return area / (h * h) * 2 * (half_width / h);
}

std::vector<std::int32_t> copy_triangles(const openvdb::Int32Grid& nearest, const BrickGrid& grid) {
  const Vec3 origin = (grid.origin / grid.voxel).array().round();
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
  const IndexSpaceMesh mesh{positions, triangles, h};
  if (!(voxel_estimate(mesh, options.half_width) < kMaxMeshVoxels)) {
    throw InputError("the level set of this mesh would need more than " +
                     std::to_string(static_cast<int>(kMaxMeshVoxels / 1e6)) +
                     " million voxels; use larger voxels or a narrower band");
  }
  const auto transform = openvdb::math::Transform::createLinearTransform(h);
  // Voxels that OpenVDB believes to be farther away than they are must not be missing: see exact_distances.h.
  const float width = static_cast<float>(options.half_width / h + 1);
  // Renormalisation would bend distances that are exact already.
  const int flags = openvdb::tools::DISABLE_RENORMALIZATION;
  openvdb::Int32Grid nearest(openvdb::util::INVALID_IDX);
  const openvdb::FloatGrid::Ptr grid =
      openvdb::tools::meshToVolume<openvdb::FloatGrid>(mesh, *transform, width, width, flags, &nearest);

  MeshDistances result;
  result.grid = copy_bricks(*grid, h, Vec3::Zero(), 1.0);
  result.grid.half_width = options.half_width;
  result.nearest_triangle = copy_triangles(nearest, result.grid);
  make_exact(result.grid, result.nearest_triangle, positions, triangles);
  return result;
}

}  // namespace keydrape
