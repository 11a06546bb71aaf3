#include "core/contact/body/level_set/nearest_triangle.h"

#include <cassert>

namespace keydrape {

NearestTriangle::NearestTriangle(const MeshDistances& distances)
    : frame_{distances.grid.origin, distances.grid.voxel, distances.grid.half_width,
             distances.grid.size,   distances.grid.table, {}},
      labels_(distances.nearest_triangle) {
  assert(labels_.size() == distances.grid.values.size());
}

SurfacePoint NearestTriangle::find(const Vec3& p, const std::vector<Vec3>& positions,
                                   const std::vector<Triangle>& triangles) const {
  const Vec3 u = (p - frame_.origin) / frame_.voxel;
  SurfacePoint best;
  for (int a = 0; a < 3; ++a)
    if (!(u(a) >= 0 && u(a) < BrickGrid::kSide * frame_.size[a])) return best;
  const Index3 low = {static_cast<int>(u.x()), static_cast<int>(u.y()), static_cast<int>(u.z())};
  for (int n = 0; n < 8; ++n) {
    const std::ptrdiff_t slot = frame_.slot({low[0] + (n & 1), low[1] + ((n >> 1) & 1), low[2] + (n >> 2)});
    if (slot < 0 || labels_[slot] < 0) continue;
    const Triangle& t = triangles[labels_[slot]];
    SurfacePoint point = nearest_on_triangle(p, positions[t[0]], positions[t[1]], positions[t[2]]);
    point.triangle = labels_[slot];
    if (best.triangle < 0 || point.distance < best.distance) best = point;
  }
  return best;
}

}  // namespace keydrape
