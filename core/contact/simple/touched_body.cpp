#include "core/contact/simple/touched_body.h"

#include <algorithm>
#include <cmath>

namespace keydrape {

namespace {

constexpr int kMaxSteps = 20;
constexpr double kOnLevel = 1e-12;  // [m]
// What is left where the steps do not end: in a kink of a body's distance they go to and fro. [m]
constexpr double kNearLevel = 1e-6;
// A distance rises by 1 m in a metre along its gradient; where it does by less than this the gradient says
// nothing of the way out.
constexpr double kSteepEnough = 0.5;

// The point at `level` on the way from p, which is nearer to the body, to `from`.
std::optional<Vec3> on_way_back(const ColliderPose& pose, double level, const Vec3& p, const Vec3& from) {
  if (!(pose.distance(from) >= level)) return std::nullopt;
  double inside = 0.0, outside = 1.0;
  const auto point = [&](double s) -> Vec3 { return p + s * (from - p); };
  while ((outside - inside) * (from - p).norm() > kOnLevel) {
    const double middle = 0.5 * (inside + outside);
    if (middle <= inside || middle >= outside) break;
    (pose.distance(point(middle)) < level ? inside : outside) = middle;
  }
  return point(outside);
}

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

std::optional<Vec3> nearest_at_level(const ColliderPose& pose, double level, const Vec3& p,
                                     const Vec3& from) {
  Vec3 at = p;
  for (int k = 0; k < kMaxSteps; ++k) {
    const DistanceSample s = pose.sample(at);
    const double off = s.distance - level;
    if (std::abs(off) <= kOnLevel) return at;
    const double steepness = s.gradient.norm();
    if (!(steepness > kSteepEnough)) return on_way_back(pose, level, p, from);
    at -= off / steepness * (s.gradient / steepness);
  }
  if (pose.distance(at) >= level - kNearLevel) return at;
  return on_way_back(pose, level, p, from);
}

}  // namespace keydrape
