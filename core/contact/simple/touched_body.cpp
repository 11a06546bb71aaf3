#include "core/contact/simple/touched_body.h"

#include <algorithm>
#include <cmath>

namespace keydrape {

namespace {

constexpr int kMaxSteps = 20;
constexpr double kOnLevel = 1e-12;  // [m]

}  // namespace

std::vector<char> pinned_vertices(const FilteredStep& step) {
  std::vector<char> pinned(step.vertex_mass.size(), 0);
  for (const StepConstraints::Row& row : step.constraints.rows()) pinned[row.vertex] = 1;
  return pinned;
}

Vec3 material_velocity(const Collider& collider, double t0, double t1, const Vec3& p) {
  return (collider.carry(t0, t1, p).position - p) / (t1 - t0);
}

Vec3 rubbed(const Vec3& v, const Vec3& n, double mu, double pressed) {
  const Vec3 along = n * n.dot(v), slip = v - along;
  const double speed = slip.norm();
  if (speed == 0.0) return v;
  return along + std::max(1.0 - mu * pressed / speed, 0.0) * slip;
}

Vec3 nearest_at_level(const ColliderPose& pose, double level, const Vec3& p) {
  Vec3 at = p;
  for (int k = 0; k < kMaxSteps; ++k) {
    const DistanceSample s = pose.sample(at);
    if (std::abs(s.distance - level) <= kOnLevel) break;
    at -= (s.distance - level) / s.gradient.squaredNorm() * s.gradient;
  }
  return at;
}

}  // namespace keydrape
