#include "core/contact/body/shape/sphere.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace keydrape {

Sphere::Sphere(const Vec3& center, double radius) : center_(center), radius_(radius) { assert(radius > 0); }

DistanceSample Sphere::sample(const Vec3& p) const {
  const Vec3 r = p - center_;
  const double l = r.norm();
  if (l == 0) return {-radius_, Vec3::UnitY(), Mat3::Zero()};
  const Vec3 n = r / l;
  return {l - radius_, n, (Mat3::Identity() - n * n.transpose()) / l};
}

double Sphere::distance(const Vec3& p) const { return (p - center_).norm() - radius_; }

double Sphere::free_radius(const Vec3& p, double level) const { return std::max(0.0, distance(p) - level); }

BoundingBox Sphere::bounds() const {
  return {center_ - Vec3::Constant(radius_), center_ + Vec3::Constant(radius_)};
}

double Sphere::band() const { return std::numeric_limits<double>::infinity(); }

}  // namespace keydrape
