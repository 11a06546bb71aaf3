#include "core/mesh/nearest_on_triangle.h"

#include <algorithm>

namespace keydrape {
namespace {

// With less of the squared area that two sides could span, a triangle counts as its sides alone: rounding
// would choose among them.
constexpr double kFlat = 1e-18;

// The share of the way from a to b at which a line's point is nearest.
double nearest_share(const Vec3& p, const Vec3& a, const Vec3& b) {
  const double square = (b - a).squaredNorm();
  return square > 0.0 ? std::clamp((b - a).dot(p - a) / square, 0.0, 1.0) : 0.0;
}

}  // namespace

SurfacePoint nearest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap), d3 = ab.dot(bp), d4 = ac.dot(bp), d5 = ab.dot(cp),
               d6 = ac.dot(cp);
  const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  // On an edge or a vertex the weights of the others are 0 to the bit.
  const auto result = [&](double u, double v, double w) {
    const Vec3 weights(u, v, w);
    return SurfacePoint{-1, weights, (p - weights(0) * a - weights(1) * b - weights(2) * c).norm()};
  };
  if (ab.cross(ac).squaredNorm() <= kFlat * ab.squaredNorm() * ac.squaredNorm()) {
    const double along_ab = nearest_share(p, a, b), along_bc = nearest_share(p, b, c),
                 along_ca = nearest_share(p, c, a);
    return std::min({result(1 - along_ab, along_ab, 0), result(0, 1 - along_bc, along_bc),
                     result(along_ca, 0, 1 - along_ca)},
                    [](const SurfacePoint& x, const SurfacePoint& y) { return x.distance < y.distance; });
  }
  if (d1 <= 0 && d2 <= 0) return result(1, 0, 0);   // vertex a
  if (d3 >= 0 && d4 <= d3) return result(0, 1, 0);  // vertex b
  if (d6 >= 0 && d5 <= d6) return result(0, 0, 1);  // vertex c
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {              // edge ab
    const double v = d1 / (d1 - d3);
    return result(1 - v, v, 0);
  }
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {  // edge ac
    const double w = d2 / (d2 - d6);
    return result(1 - w, 0, w);
  }
  if (va <= 0 && d4 >= d3 && d5 >= d6) {  // edge bc
    const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return result(0, 1 - w, w);
  }
  const double v = vb / (va + vb + vc), w = vc / (va + vb + vc);
  return result(1 - v - w, v, w);
}

}  // namespace keydrape
