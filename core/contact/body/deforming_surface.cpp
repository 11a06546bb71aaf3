#include "core/contact/body/deforming_surface.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <cmath>

namespace keydrape {
namespace {

std::vector<Vec3> positions_at(const MotionTrack& motion, double time) {
  std::vector<Vec3> x(motion.point_count());
  for (int i = 0; i < motion.point_count(); ++i) x[i] = motion.position(i, time);
  return x;
}

// Derivatives of the weights of the point of a triangle nearest to p, by p: a column for each vertex. The
// point stays on the face, edge or vertex that the weights say.
Stencil<3> weight_gradients(const Vec3& weights, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 x[3] = {a, b, c};
  Stencil<3> g = Stencil<3>::Zero();
  const int zeros = static_cast<int>((weights.array() == 0.0).count());
  if (zeros == 0) {
    const Vec3 n = (b - a).cross(c - a);
    for (int i = 0; i < 3; ++i) g.col(i) = n.cross(x[(i + 2) % 3] - x[(i + 1) % 3]) / n.squaredNorm();
  } else if (zeros == 1) {
    for (int i = 0; i < 3; ++i) {
      if (weights(i) != 0.0) continue;
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      const Vec3 e = x[k] - x[j];
      g.col(k) = e / e.squaredNorm();
      g.col(j) = -g.col(k);
    }
  }
  return g;
}

}  // namespace

DeformingSurface::DeformingSurface(const MotionTrack& motion, const std::vector<Triangle>& triangles,
                                   double time, const LevelSetOptions& options)
    : triangles_(triangles),
      positions_(positions_at(motion, time)),
      level_set_(mesh_level_set(positions_, triangles_, options, NearestTriangles::kKept)) {}

Carried DeformingSurface::carry(const MotionTrack& motion, double time, const Vec3& p) const {
  Carried carried{p, Mat3::Identity()};
  const SurfacePoint point = level_set_.nearest.find(p, positions_, triangles_);
  if (point.triangle < 0) return carried;
  const Triangle& t = triangles_[point.triangle];
  const Stencil<3> weights_by_p =
      weight_gradients(point.weights, positions_[t[0]], positions_[t[1]], positions_[t[2]]);
  for (int c = 0; c < 3; ++c) {
    const Vec3 way = motion.position(t[c], time) - positions_[t[c]];
    carried.position += point.weights(c) * way;
    carried.gradient += way * weights_by_p.col(c).transpose();
  }
  return carried;
}

std::size_t DeformingSurface::memory_bytes() const {
  return level_set_.field->memory_bytes() + level_set_.nearest.memory_bytes() +
         positions_.size() * sizeof(Vec3);
}

}  // namespace keydrape
