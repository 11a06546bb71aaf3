#include "io/shot/body/mesh_parts.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <map>

#include "core/mesh/topology.h"

namespace keydrape {
namespace {

// Along no axis, diagonal or plane that a mesh is likely to have.
Vec3 turned(const Vec3& p) {
  static const Mat3 turn = Eigen::AngleAxisd(1.0, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  return turn * p;
}

std::vector<Vec3> turned_positions(const VecX& x) {
  std::vector<Vec3> positions(x.size() / 3);
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = turned(x.segment<3>(3 * i));
  return positions;
}

std::vector<Box> boxes_of(const std::vector<Triangle>& triangles, const std::vector<Vec3>& positions) {
  std::vector<Box> boxes(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (const int v : triangles[t]) boxes[t].add({positions[v], positions[v]});
  return boxes;
}

BoxTree tree_of_triangles(const std::vector<Triangle>& triangles, const std::vector<Vec3>& positions) {
  std::vector<Vec3> centers;
  for (const Box& box : boxes_of(triangles, positions)) centers.push_back(0.5 * (box.low + box.high));
  return BoxTree(centers, std::vector<char>(triangles.size(), 0));
}

// How the ray from the origin along x meets a triangle: 1 against its normal, -1 along it, 0 not at all.
int passage(const Vec3& a, const Vec3& b, const Vec3& c) {
  // Twice the signed areas, across the ray, that it makes with the edges.
  const double u = b.y() * c.z() - b.z() * c.y(), v = c.y() * a.z() - c.z() * a.y(),
               w = a.y() * b.z() - a.z() * b.y();
  const bool is_positive = u > 0.0 && v > 0.0 && w > 0.0, is_negative = u < 0.0 && v < 0.0 && w < 0.0;
  if (!is_positive && !is_negative) return 0;
  if ((u * a.x() + v * b.x() + w * c.x()) / (u + v + w) < 0.0) return 0;  // behind the origin
  return is_positive ? -1 : 1;
}

}  // namespace

MeshParts::MeshParts(const TriangleMesh& mesh, const VecX& x)
    : positions_(turned_positions(x)),
      triangles_(mesh.triangles),
      part_(build_topology(mesh.triangles, mesh.vertex_count()).component_of_vertex),
      tree_(tree_of_triangles(triangles_, positions_)),
      fitted_(tree_.fit(boxes_of(triangles_, positions_))) {}

bool MeshParts::enclose(const Vec3& p) const {
  const Vec3 from = turned(p);
  const BoxTree ray({from}, {0});
  const Vec3 to(std::numeric_limits<double>::infinity(), from.y(), from.z());
  std::map<int, int> rounds;  // by part: how often, and in which sense, it goes round the point
  ray.fit({{from, to}}).join_leaf(0, fitted_, BoxTree::Fitted::Pairing::kAll, [&](int, int t) {
    const auto [a, b, c] = triangles_[t];
    rounds[part_[a]] += passage(positions_[a] - from, positions_[b] - from, positions_[c] - from);
  });
  return std::any_of(rounds.begin(), rounds.end(), [](const auto& round) { return round.second != 0; });
}

}  // namespace keydrape
