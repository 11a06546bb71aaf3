#include "core/contact/collider/deforming_surface.h"

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

// Of the interval that ends at `time` or holds it.
std::vector<Vec3> velocities_at(const MotionTrack& motion, double time) {
  std::vector<Vec3> v(motion.point_count(), Vec3::Zero());
  constexpr double kSameTime = 1e-9;  // of an interval: sample times are products of rounded numbers
  const double before = std::ceil(time / motion.sample_interval - kSameTime) - 1;
  if (before < 0 || before + 1 >= static_cast<double>(motion.samples.size())) return v;
  const VecX &x0 = motion.samples[static_cast<std::size_t>(before)],
             &x1 = motion.samples[static_cast<std::size_t>(before) + 1];
  for (int i = 0; i < motion.point_count(); ++i)
    v[i] = (x1.segment<3>(3 * i) - x0.segment<3>(3 * i)) / motion.sample_interval;
  return v;
}

}  // namespace

DeformingSurface::DeformingSurface(const MotionTrack& motion, const std::vector<Triangle>& triangles,
                                   double time, const LevelSetOptions& options)
    : triangles_(triangles),
      positions_(positions_at(motion, time)),
      velocities_(velocities_at(motion, time)),
      level_set_(mesh_level_set(positions_, triangles_, options, true)) {}

Vec3 DeformingSurface::velocity(const Vec3& p) const {
  const SurfacePoint point = level_set_.nearest.find(p, positions_, triangles_);
  assert(point.triangle >= 0 && "beyond the band");
  const Triangle& t = triangles_[point.triangle];
  return point.weights(0) * velocities_[t[0]] + point.weights(1) * velocities_[t[1]] +
         point.weights(2) * velocities_[t[2]];
}

std::size_t DeformingSurface::memory_bytes() const {
  return level_set_.field->memory_bytes() + level_set_.nearest.memory_bytes() +
         (positions_.size() + velocities_.size()) * sizeof(Vec3);
}

}  // namespace keydrape
