#include "core/contact/body/level_set/nearest_triangle.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace keydrape {

SurfacePoint nearest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap), d3 = ab.dot(bp), d4 = ac.dot(bp), d5 = ab.dot(cp),
               d6 = ac.dot(cp);
  const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  const auto result = [&](double v, double w) {
    const Vec3 weights(1 - v - w, v, w);
    return SurfacePoint{-1, weights, (p - weights(0) * a - weights(1) * b - weights(2) * c).norm()};
  };
  if (d1 <= 0 && d2 <= 0) return result(0, 0);                          // vertex a
  if (d3 >= 0 && d4 <= d3) return result(1, 0);                         // vertex b
  if (d6 >= 0 && d5 <= d6) return result(0, 1);                         // vertex c
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return result(d1 / (d1 - d3), 0);  // edge ab
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return result(0, d2 / (d2 - d6));  // edge ac
  if (va <= 0 && d4 >= d3 && d5 >= d6) {                                // edge bc
    const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return result(1 - w, w);
  }
  return result(vb / (va + vb + vc), vc / (va + vb + vc));
}

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
