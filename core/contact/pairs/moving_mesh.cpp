#include "core/contact/pairs/moving_mesh.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>

#include "core/mesh/topology.h"

namespace keydrape {

namespace {

MotionTrack at_rest(const std::vector<Vec3>& positions) {
  VecX x(3 * positions.size());
  for (size_t i = 0; i < positions.size(); ++i) x.segment<3>(3 * i) = positions[i];
  return {{x}, 1.0};
}

[[maybe_unused]] bool are_below(const std::vector<Triangle>& triangles, int count) {
  return std::all_of(triangles.begin(), triangles.end(), [count](const Triangle& t) {
    return std::all_of(t.begin(), t.end(), [count](int v) { return v >= 0 && v < count; });
  });
}

}  // namespace

MovingMesh::MovingMesh(const std::vector<Vec3>& positions, std::vector<Triangle> triangles,
                       RigidMotion motion)
    : track_(at_rest(positions)), rigid_(std::move(motion)), triangles_(std::move(triangles)) {
  assert(are_below(triangles_, vertex_count()));
  measure();
}

MovingMesh::MovingMesh(MotionTrack motion, std::vector<Triangle> triangles)
    : track_(std::move(motion)), triangles_(std::move(triangles)) {
  assert(!track_.samples.empty() && are_below(triangles_, vertex_count()));
  measure();
}

void MovingMesh::measure() {
  const std::vector<Edge> edges = build_topology(triangles_, vertex_count()).edges;
  largest_areas_.assign(triangles_.size(), 0.0);
  largest_edges_.assign(edges.size(), Vec3::Zero());
  for (const VecX& x : track_.samples) {
    const auto way = [&x](int from, int to) -> Vec3 { return x.segment<3>(3 * to) - x.segment<3>(3 * from); };
    for (size_t t = 0; t < triangles_.size(); ++t) {
      const auto& [a, b, c] = triangles_[t];
      largest_areas_[t] = std::max(largest_areas_[t], 0.5 * way(a, b).cross(way(a, c)).norm());
    }
    for (size_t e = 0; e < edges.size(); ++e) {
      const Vec3 edge = way(edges[e][0], edges[e][1]);
      if (edge.squaredNorm() > largest_edges_[e].squaredNorm()) largest_edges_[e] = edge;
    }
  }
}

VecX MovingMesh::at(double time) const {
  const RigidPose pose = rigid_.pose(time);
  VecX x(3 * static_cast<Eigen::Index>(vertex_count()));
  for (int i = 0; i < vertex_count(); ++i) x.segment<3>(3 * i) = pose.to_world(track_.position(i, time));
  return x;
}

}  // namespace keydrape
