#pragma once

#include "core/base/types.h"

namespace keydrape {

// A point of a triangle mesh, as a mean of the triangle's vertices.
struct SurfacePoint {
  int triangle = -1;  // -1: none
  Vec3 weights = Vec3::Zero();
  double distance = 0;  // from the point that was asked for [m], >= 0
};

// The point of triangle a b c nearest to p (Ericson 2005, section 5.1.5); `triangle` is left at -1.
SurfacePoint nearest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace keydrape
