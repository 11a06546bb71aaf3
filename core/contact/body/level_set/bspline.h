#pragma once

#include <array>

namespace keydrape {

// The four uniform cubic B-splines over one cell, and their derivatives with respect to f (Unser 1999):
// f(x) = sum_a w[a] c[i - 1 + a] at x = i + f.
struct CubicBspline {
  std::array<double, 4> w, d1, d2;
};

// Requires 0 <= f <= 1.
inline CubicBspline cubic_bspline(double f) {
  const double g = 1 - f;
  return {{g * g * g / 6, (4 - 3 * f * f * (2 - f)) / 6, (4 - 3 * g * g * (2 - g)) / 6, f * f * f / 6},
          {-g * g / 2, f * (1.5 * f - 2), -g * (1.5 * g - 2), f * f / 2},
          {g, 3 * f - 2, 3 * g - 2, f}};
}

}  // namespace keydrape
