#include "core/contact/body/level_set/level_set_surface.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/SignedFloodFill.h>
#include <openvdb/tools/VolumeToMesh.h>
#include <tbb/parallel_for.h>

#include <cassert>
#include <cmath>
#include <memory>
#include <vector>

namespace keydrape {
namespace {

using openvdb::Coord;
using Leaf = openvdb::FloatTree::LeafNodeType;  // 8^3 nodes

// Leaves that a grid may have: 5 million samples, 1 to 2 s on one core.
constexpr std::size_t kMostLeaves = 10'000;
// Of a leaf's centre from the surface [cells], beyond which none of the leaf's cells meets the surface. They
// reach 7.8 cells; beyond the band a distance may be off by 72 % (core/measurements/level-sets.md).
constexpr double kReach = 14;
// How far normals may differ within what is merged: 1 - cos of 0, 6, 14 and 32 degrees.
constexpr double kAdaptivities[] = {0.0, 0.005, 0.03, 0.15};
constexpr int kProjections = 4;  // quadratic from a tenth of a cell

struct SampledGrid {
  Vec3 origin;  // of node (0, 0, 0) [m]
  double cell;  // [m]

  Vec3 position(const Coord& c) const { return origin + cell * Vec3(c.x(), c.y(), c.z()); }
};

// Corners of the leaves near the surface, x slowest.
std::vector<Coord> find_leaves(const LevelSet& field, const SampledGrid& grid) {
  const Vec3 size = (field.bounds().high - grid.origin) / (Leaf::DIM * grid.cell);
  const Coord count(static_cast<int>(size.x()) + 1, static_cast<int>(size.y()) + 1,
                    static_cast<int>(size.z()) + 1);
  std::vector<std::vector<Coord>> layers(static_cast<std::size_t>(count.x()));
  tbb::parallel_for(0, count.x(), [&](int x) {
    for (int y = 0; y < count.y(); ++y)
      for (int z = 0; z < count.z(); ++z) {
        const Coord corner(x * Leaf::DIM, y * Leaf::DIM, z * Leaf::DIM);
        const Vec3 center = grid.position(corner) + Vec3::Constant(0.5 * (Leaf::DIM - 1) * grid.cell);
        if (std::abs(field.distance(center)) <= kReach * grid.cell) layers[x].push_back(corner);
      }
  });
  std::vector<Coord> leaves;
  for (const std::vector<Coord>& layer : layers) leaves.insert(leaves.end(), layer.begin(), layer.end());
  return leaves;
}

openvdb::FloatGrid::Ptr sampled(const LevelSet& field, const SampledGrid& grid,
                                const std::vector<Coord>& corners) {
  auto result = openvdb::FloatGrid::create(static_cast<float>(kReach * grid.cell));
  std::vector<std::unique_ptr<Leaf>> leaves(corners.size());
  tbb::parallel_for(std::size_t{0}, corners.size(), [&](std::size_t k) {
    leaves[k] = std::make_unique<Leaf>(corners[k], 0.0f, /*active=*/true);
    for (auto node = leaves[k]->beginValueOn(); node; ++node)
      node.setValue(static_cast<float>(field.distance(grid.position(node.getCoord()))));
  });
  for (auto& leaf : leaves) result->tree().addLeaf(leaf.release());
  openvdb::tools::signedFloodFill(result->tree());
  return result;
}

// p <- p - phi grad / |grad|^2 (S13), for as long as that leads nearer to the surface.
Vec3 on_surface(const LevelSet& field, Vec3 p) {
  DistanceSample at = field.sample(p);
  for (int i = 0; i < kProjections; ++i) {
    const Vec3 next = p - at.distance / at.gradient.squaredNorm() * at.gradient;
    if (!next.allFinite()) break;
    const DistanceSample there = field.sample(next);
    if (!(std::abs(there.distance) < std::abs(at.distance))) break;
    p = next;
    at = there;
  }
  return p;
}

// Cut along the shorter diagonal.
void append_quad(const openvdb::Vec4I& q, TriangleMesh& mesh) {
  const auto corner = [&](int k) { return static_cast<int>(q[k]); };
  const auto length = [&](int i, int j) {
    return (mesh.positions[q[i]] - mesh.positions[q[j]]).squaredNorm();
  };
  const int k = length(0, 2) <= length(1, 3) ? 0 : 1;
  mesh.triangles.push_back({corner(k), corner(k + 1), corner(k + 2)});
  mesh.triangles.push_back({corner(k), corner(k + 2), corner((k + 3) % 4)});
}

struct Polygons {
  std::vector<openvdb::Vec3s> points;  // in cells
  std::vector<openvdb::Vec3I> triangles;
  std::vector<openvdb::Vec4I> quads;

  std::size_t triangle_count() const { return triangles.size() + 2 * quads.size(); }
};

TriangleMesh make_mesh(const LevelSet& field, const SampledGrid& grid, const Polygons& polygons) {
  TriangleMesh mesh;
  mesh.positions.resize(polygons.points.size());
  tbb::parallel_for(std::size_t{0}, polygons.points.size(), [&](std::size_t i) {
    const openvdb::Vec3s& p = polygons.points[i];
    mesh.positions[i] = on_surface(field, grid.origin + grid.cell * Vec3(p.x(), p.y(), p.z()));
  });
  for (const openvdb::Vec3I& t : polygons.triangles)
    mesh.triangles.push_back({static_cast<int>(t[0]), static_cast<int>(t[1]), static_cast<int>(t[2])});
  for (const openvdb::Vec4I& quad : polygons.quads) append_quad(quad, mesh);
  return mesh;
}

}  // namespace

TriangleMesh level_set_surface(const LevelSet& field, int most_triangles) {
  assert(most_triangles > 0);
  const BoundingBox box = field.bounds();
  const double longest = (box.high - box.low).maxCoeff();
  for (double cell = field.voxel(); cell < longest; cell *= 2) {
    const SampledGrid grid{box.low - Vec3::Constant(2 * cell), cell};
    const std::vector<Coord> leaves = find_leaves(field, grid);
    if (leaves.size() > kMostLeaves) continue;
    const openvdb::FloatGrid::Ptr distances = sampled(field, grid, leaves);
    for (const double adaptivity : kAdaptivities) {
      Polygons polygons;
      openvdb::tools::volumeToMesh(*distances, polygons.points, polygons.triangles, polygons.quads, 0.0,
                                   adaptivity);
      if (polygons.triangle_count() <= static_cast<std::size_t>(most_triangles))
        return make_mesh(field, grid, polygons);
    }
  }
  return {};
}

}  // namespace keydrape
