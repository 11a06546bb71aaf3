#pragma once

#include "core/contact/body/shape/distance_field.h"

namespace keydrape {

// phi = |p - center| - radius. C-infinity but for the center, where the gradient is the y axis.
class Sphere final : public DistanceField {
 public:
  // Requires radius > 0 [m].
  Sphere(const Vec3& center, double radius);

  DistanceSample sample(const Vec3& p) const override;
  double distance(const Vec3& p) const override;
  double free_radius(const Vec3& p, double level) const override;
  BoundingBox bounds() const override;
  double band() const override;
  double smooth_depth() const override { return radius_; }

 private:
  Vec3 center_;
  double radius_;
};

}  // namespace keydrape
