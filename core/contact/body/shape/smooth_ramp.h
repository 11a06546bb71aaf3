#pragma once

// max(q, 0), made C2 by rounding it off over -w <= q <= w:
//
//   m(q) = 0 for q <= -w,   2 w (s^3 - s^4/2) with s = (q + w)/(2 w) between,   q for q >= w     (S3)
//
// Never less than max(q, 0), and at most 3/16 w above it (at q = 0). 0 <= m' <= 1.

namespace keydrape {

inline constexpr double kRampShare = 0.25;  // half-width w in radii of the shape that is rounded by it

struct SmoothRamp {
  double value, d1, d2;
};

// Requires w > 0.
inline SmoothRamp smooth_ramp(double q, double w) {
  if (q <= -w) return {0.0, 0.0, 0.0};
  if (q >= w) return {q, 1.0, 0.0};
  const double s = (q + w) / (2 * w);
  return {2 * w * s * s * s * (1 - 0.5 * s), s * s * (3 - 2 * s), 3 * s * (1 - s) / w};
}

}  // namespace keydrape
