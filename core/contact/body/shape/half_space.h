#pragma once

#include "core/contact/body/shape/distance_field.h"

namespace keydrape {

// All that lies behind a plane: phi = n . (p - point). The cloth is on the normal's side.
class HalfSpace final : public DistanceField {
 public:
  // Requires a normal other than zero, of any length.
  HalfSpace(const Vec3& point, const Vec3& normal);

  DistanceSample sample(const Vec3& p) const override;
  double distance(const Vec3& p) const override;
  double free_radius(const Vec3& p, double level) const override;
  // Infinite, but for the direction of the normal where that is a coordinate axis.
  BoundingBox bounds() const override;
  double band() const override;
  double smooth_depth() const override;

 private:
  Vec3 point_;
  Vec3 n_;
};

}  // namespace keydrape
