#include "core/contact/body/shape/half_space.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace keydrape {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

HalfSpace::HalfSpace(const Vec3& point, const Vec3& normal) : point_(point), n_(normal.normalized()) {
  assert(normal.squaredNorm() > 0);
}

DistanceSample HalfSpace::sample(const Vec3& p) const { return {distance(p), n_, Mat3::Zero()}; }

double HalfSpace::distance(const Vec3& p) const { return n_.dot(p - point_); }

double HalfSpace::free_radius(const Vec3& p, double level) const {
  return std::max(0.0, distance(p) - level);
}

BoundingBox HalfSpace::bounds() const {
  BoundingBox box{Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity)};
  for (int a = 0; a < 3; ++a) {
    if (n_(a) == 1) box.high(a) = point_(a);
    if (n_(a) == -1) box.low(a) = point_(a);
  }
  return box;
}

double HalfSpace::band() const { return kInfinity; }
double HalfSpace::smooth_depth() const { return kInfinity; }

}  // namespace keydrape
