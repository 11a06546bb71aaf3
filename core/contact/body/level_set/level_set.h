#pragma once

#include <vector>

#include "core/contact/body/level_set/brick_grid.h"
#include "core/contact/body/level_set/far_field.h"
#include "core/contact/body/shape/distance_field.h"

namespace keydrape {

// A body of any shape: distances on a grid near its surface, made a cubic B-spline (S7):
//
//   phi(p) = sum_abc w_a(x) w_b(y) w_c(z) c_abc     (S6)
//
// C2 wherever the 64 coefficients around p are stored, which includes |phi| <= band(); beyond that FarField
// answers, with a Hessian of zero and |distance| >= band().
class LevelSet final : public DistanceField {
 public:
  // The grid must be wide enough for a band: half_width >= kMargin voxels + band.
  static constexpr double kMargin = 4.0;

  // `distances`: metres at all voxels of the stored bricks. `surface`: points that must not lie outside of
  // the body; coefficients around those that do are lowered until phi <= 0 there (S8): a spline cuts sharp
  // edges, and this puts them back. Requires half_width > kMargin voxels and a voxel next to the surface.
  explicit LevelSet(BrickGrid distances, const std::vector<Vec3>& surface = {});

  DistanceSample sample(const Vec3& p) const override;
  double distance(const Vec3& p) const override;
  double free_radius(const Vec3& p, double level) const override;
  BoundingBox bounds() const override { return bounds_; }
  double band() const override { return band_; }
  double smooth_depth() const override { return band_; }

  double voxel() const { return bricks_.voxel; }
  double lipschitz() const { return lipschitz_; }      // |grad phi| <= this in the band
  double largest_gap() const { return largest_gap_; }  // of a surface point from the body, before (S8) [m]
  std::size_t memory_bytes() const { return bricks_.memory_bytes() + far_.memory_bytes(); }

 private:
  double far_distance(const Vec3& p, double value) const;

  BrickGrid bricks_;  // coefficients, once built
  FarField far_;
  double band_;
  double largest_gap_ = 0;
  double lipschitz_ = 1;
  BoundingBox bounds_;
};

}  // namespace keydrape
