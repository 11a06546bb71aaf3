#include "control/unknowns/ball_bounds.h"

#include <algorithm>
#include <cassert>

namespace keydrape {

namespace {

// A vector that was scaled to its bound is on it, whatever the rounding made of it.
constexpr double kOnBound = 1.0 - 1e-12;
// Nor is it beyond it, and neither is one that came back with a take.
constexpr double kInBound = 1.0 + 1e-12;
// What counts for people: L-BFGS comes near its bounds only.
constexpr double kNearBound = 0.99;

}  // namespace

void BallBounds::project(VecX& z, int first, int count) const {
  assert(z.size() >= 3 * radius.size() && 0 <= first && first + count <= radius.size());
  for (int k = first; k < first + count; ++k) {
    const Vec3 c = center_of(k), d = z.segment<3>(3 * k) - c;
    const double length = d.norm();
    if (length > radius(k)) z.segment<3>(3 * k) = c + radius(k) / length * d;
  }
}

bool BallBounds::contain(const VecX& z) const {
  assert(z.size() >= 3 * radius.size());
  for (int k = 0; k < count(); ++k)
    if (!((z.segment<3>(3 * k) - center_of(k)).norm() <= kInBound * radius(k))) return false;
  return true;
}

double BallBounds::share_at_bound(const VecX& z, int first_count) const {
  assert(z.size() >= 3 * radius.size() && 0 <= first_count && first_count <= count());
  int at_bound = 0;
  for (int k = 0; k < first_count; ++k)
    at_bound += (z.segment<3>(3 * k) - center_of(k)).norm() >= kNearBound * radius(k);
  return static_cast<double>(at_bound) / std::max(1, first_count);
}

Face::Face(const BallBounds& bounds, const VecX& z, const VecX& gradient)
    : normal_(VecX::Zero(z.size())), curvature_(VecX::Zero(bounds.count())) {
  assert(z.size() >= 3 * bounds.radius.size() && gradient.size() == z.size());
  for (int k = 0; k < bounds.count(); ++k) {
    const Vec3 z_k = z.segment<3>(3 * k) - bounds.center_of(k);
    const double length = z_k.norm(), outward = -gradient.segment<3>(3 * k).dot(z_k);
    if (length < kOnBound * bounds.radius(k) || outward < 0.0) continue;
    normal_.segment<3>(3 * k) = z_k / length;
    curvature_(k) = outward / (length * length);
    ++count_;
  }
}

void Face::project_tangent(VecX& v, int first, int count) const {
  assert(v.size() == normal_.size() && 0 <= first && first + count <= curvature_.size());
  for (int k = first; k < first + count; ++k) {
    const Vec3 n = normal_.segment<3>(3 * k);
    v.segment<3>(3 * k) -= n.dot(v.segment<3>(3 * k)) * n;
  }
}

void Face::add_curvature(const VecX& v, VecX& out) const {
  assert(v.size() == normal_.size() && out.size() == v.size());
  for (Eigen::Index k = 0; k < curvature_.size(); ++k)
    out.segment<3>(3 * k) += curvature_(k) * v.segment<3>(3 * k);
}

VecX Face::projected(const VecX& gradient) const {
  VecX result = gradient;
  project_tangent(result);
  return result;
}

}  // namespace keydrape
