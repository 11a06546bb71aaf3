#include "core/contact/body/level_set/level_set.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "core/contact/body/level_set/brick_spline.h"
#include "core/contact/body/level_set/lipschitz.h"

namespace keydrape {
namespace {

BoundingBox stored_box(const BrickGrid& bricks) {
  BoundingBox box;
  for (const Index3& place : bricks.brick_places()) {
    box.add(bricks.position(BrickGrid::voxel_at(place, 0)));
    box.add(bricks.position(BrickGrid::voxel_at(place, BrickGrid::kVoxels - 1)));
  }
  return box;
}

}  // namespace

LevelSet::LevelSet(BrickGrid distances, const std::vector<Vec3>& surface)
    : bricks_(std::move(distances)),
      far_(bricks_),
      band_(bricks_.half_width - kMargin * bricks_.voxel),
      bounds_(stored_box(bricks_)) {
  assert(band_ > 0);
  to_spline_coefficients(bricks_);
  largest_gap_ = cover_points(bricks_, surface);
  lipschitz_ = lipschitz_bound(bricks_, band_);
}

double LevelSet::far_distance(const Vec3& p, double value) const {
  return std::copysign(std::max(std::abs(value), band_), is_inside_beyond_band(bricks_, p) ? -1.0 : 1.0);
}

DistanceSample LevelSet::sample(const Vec3& p) const {
  const std::optional<SplineSupport> s = find_support(bricks_, p);
  if (!s) {
    const FarField::Value far = far_.at(p);
    return {far_distance(p, far.distance), far.gradient, Mat3::Zero()};
  }
  const CubicBspline &X = s->x, &Y = s->y, &Z = s->z;
  double v = 0, dx = 0, dy = 0, dz = 0, dxx = 0, dyy = 0, dzz = 0, dxy = 0, dyz = 0, dzx = 0;
  const double* c = s->c.data();
  for (int a = 0; a < 4; ++a) {
    double f = 0, fy = 0, fyy = 0, fz = 0, fzz = 0, fyz = 0;  // sums over y and z
    for (int b = 0; b < 4; ++b, c += 4) {
      const double g = Z.w[0] * c[0] + Z.w[1] * c[1] + Z.w[2] * c[2] + Z.w[3] * c[3];
      const double gz = Z.d1[0] * c[0] + Z.d1[1] * c[1] + Z.d1[2] * c[2] + Z.d1[3] * c[3];
      const double gzz = Z.d2[0] * c[0] + Z.d2[1] * c[1] + Z.d2[2] * c[2] + Z.d2[3] * c[3];
      f += Y.w[b] * g, fy += Y.d1[b] * g, fyy += Y.d2[b] * g;
      fz += Y.w[b] * gz, fyz += Y.d1[b] * gz, fzz += Y.w[b] * gzz;
    }
    v += X.w[a] * f, dx += X.d1[a] * f, dxx += X.d2[a] * f;
    dy += X.w[a] * fy, dxy += X.d1[a] * fy, dyy += X.w[a] * fyy;
    dz += X.w[a] * fz, dzx += X.d1[a] * fz, dzz += X.w[a] * fzz;
    dyz += X.w[a] * fyz;
  }
  Mat3 hessian;
  hessian << dxx, dxy, dzx, dxy, dyy, dyz, dzx, dyz, dzz;
  const double h = bricks_.voxel;
  return {v, Vec3(dx, dy, dz) / h, hessian / (h * h)};
}

double LevelSet::distance(const Vec3& p) const {
  const std::optional<SplineSupport> s = find_support(bricks_, p);
  return s ? s->value() : far_distance(p, far_.at(p).distance);
}

double LevelSet::free_radius(const Vec3& p, double level) const {
  assert(level > -band_ && level < band_);
  const double phi = distance(p);
  if (phi <= level) return 0;
  // In the band phi falls by at most lipschitz_ a metre, and whoever enters it from afar enters at band_.
  const double through_band = (std::min(phi, band_) - level) / lipschitz_;
  return phi < band_ ? through_band
                     : std::max(through_band, far_.free_radius(p) - std::max(level, 0.0) - bricks_.voxel);
}

}  // namespace keydrape
