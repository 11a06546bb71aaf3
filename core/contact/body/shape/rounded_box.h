#pragma once

#include "core/contact/body/shape/distance_field.h"

namespace keydrape {

// A box whose edges and corners are rounded off: its faces stand where they stood. With m the smooth ramp
// (S3) of half-width w = radius/4:
//
//   q = |p - center| - half_size + radius
//   phi = |(m(q_x), m(q_y), m(q_z))| + q_max - m(q_max) - radius ,   q_max = max_a q_a     (S5)
//
// The exact distance of a sharp box has a Hessian that jumps where a face's region meets an edge's, and none
// at an edge. Here a sharp edge loses 0.41 radius, a corner 0.73 radius, and the strips beside the edges
// 0.0016 radius (0.0033 where two strips meet). What q_max adds is 0 where it is above w: below, it leads
// through the core, as steep as before, with a kink where two q tie.
class RoundedBox final : public DistanceField {
 public:
  // An edge radius that nobody sees: this share of the shortest side.
  static constexpr double kDiscreetRadius = 0.02;

  // Requires low < high in every component, 0 < radius <= 0.4 of the shortest side.
  RoundedBox(const BoundingBox& box, double radius);

  DistanceSample sample(const Vec3& p) const override;
  double distance(const Vec3& p) const override;
  double free_radius(const Vec3& p, double level) const override;
  BoundingBox bounds() const override { return box_; }
  double band() const override;
  double smooth_depth() const override;

 private:
  BoundingBox box_;
  Vec3 inner_;  // half-size of the box that the rounding surrounds [m]
  double radius_;
};

}  // namespace keydrape
