#include "core/contact/pairs/moving_mesh.h"

#include <algorithm>
#include <cassert>

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
}

MovingMesh::MovingMesh(MotionTrack motion, std::vector<Triangle> triangles)
    : track_(std::move(motion)), triangles_(std::move(triangles)) {
  assert(!track_.samples.empty() && are_below(triangles_, vertex_count()));
}

VecX MovingMesh::at(double time) const {
  const RigidPose pose = rigid_.pose(time);
  VecX x(3 * static_cast<Eigen::Index>(vertex_count()));
  for (int i = 0; i < vertex_count(); ++i) x.segment<3>(3 * i) = pose.to_world(track_.position(i, time));
  return x;
}

}  // namespace keydrape
