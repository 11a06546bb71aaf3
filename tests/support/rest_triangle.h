#pragma once

#include "core/base/types.h"
#include "core/energy/membrane.h"

// A triangle of no particular shape, flat in z = 0 where it is at rest.

namespace keydrape::test {

inline const Stencil<3> kRestTriangle{{0.0, 1.0, 0.2}, {0.0, 0.1, 0.9}, {0.0, 0.0, 0.0}};

inline RestTriangle rest_triangle() { return RestTriangle::from_corners({0.0, 0.0}, {1.0, 0.1}, {0.2, 0.9}); }

}  // namespace keydrape::test
