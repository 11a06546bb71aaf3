#pragma once

#include "core/contact/body/shape/distance_field.h"

namespace keydrape {

// All within `radius` of a segment. With t along the axis and rho the distance from it:
//
//   phi = sqrt(e(t)^2 + rho^2) - radius ,   e(t) = m(t - L) - m(-t)     (S4)
//
// m is the smooth ramp (S3) of half-width radius/4. With the plain ramp, phi would be the exact distance,
// whose Hessian jumps where the cylinder meets its caps. The price: in a strip of radius/4 on either side of
// that seam the body is thinner by up to 0.0016 radius.
class Capsule final : public DistanceField {
 public:
  struct Axis {
    Vec3 start, end;  // [m]; may coincide
  };
  // Requires radius > 0 [m].
  Capsule(const Axis& axis, double radius);

  DistanceSample sample(const Vec3& p) const override;
  double distance(const Vec3& p) const override;
  double free_radius(const Vec3& p, double level) const override;
  BoundingBox bounds() const override;
  double band() const override;
  double smooth_depth() const override { return radius_; }

 private:
  Axis axis_;
  Vec3 u_;         // unit vector from start to end; any, for a capsule of no length
  double length_;  // of the axis [m]
  double radius_;
};

}  // namespace keydrape
