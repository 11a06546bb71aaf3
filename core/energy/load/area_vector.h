#pragma once

#include <Eigen/Geometry>

#include "core/energy/cross_matrix.h"

namespace keydrape {

// A n of a triangle: its area along its normal, by the right-hand rule. [m^2]
inline Vec3 area_vector(const Stencil<3>& x) {
  return 0.5 * (x.col(1) - x.col(0)).cross(x.col(2) - x.col(0));
}

// d(A n)/dx of its vertex b. [m]
inline Mat3 area_vector_by(const Stencil<3>& x, int b) {
  return 0.5 * cross_matrix(x.col((b + 2) % 3) - x.col((b + 1) % 3));
}

}  // namespace keydrape
