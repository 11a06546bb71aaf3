#pragma once

#include "core/base/types.h"

namespace keydrape {

// The matrix of u x: cross_matrix(u) * v = u x v.
inline Mat3 cross_matrix(const Vec3& u) {
  Mat3 m;
  m << 0, -u.z(), u.y(), u.z(), 0, -u.x(), -u.y(), u.x(), 0;
  return m;
}

}  // namespace keydrape
