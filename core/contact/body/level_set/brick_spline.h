#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/contact/body/level_set/brick_grid.h"
#include "core/contact/body/level_set/bspline.h"

namespace keydrape {

// The part of a cubic B-spline over stored bricks that a point sees: 64 coefficients and their weights. (S6)
struct SplineSupport {
  CubicBspline x, y, z;
  std::array<double, 64> c;  // z fastest

  double value() const;
};

// Nothing where one of the 64 is not stored, and for points off the table.
std::optional<SplineSupport> find_support(const BrickGrid& coefficients, const Vec3& p);

// Whether p, which has no support, is inside of the body: as a brick that is not stored and that its support
// would reach into. That brick is farther from the surface than from p. The nearest stored value may be one
// of a surface deep inside of a union.
bool is_inside_beyond_band(const BrickGrid& bricks, const Vec3& p);

// Replaces distances by coefficients of a cubic B-spline close to them:
//
//   c = d - 1/6 sum_a (d(i + e_a) - 2 d(i) + d(i - e_a))     (S7)
//
// the quasi-interpolant of fourth order (Unser 1999), which passes by the distances at 0.002 voxels on smooth
// shapes and cuts the edges and corners of a cube by 0.17 to 0.35. The spline that passes through all
// distances was tried: its coefficients overshoot at corners, and the bound (S9) on its slope is 5.0 instead
// of 2.6. An axis along which a neighbour is not stored is left out.
void to_spline_coefficients(BrickGrid& bricks);

// Lowers coefficients until the spline is not positive at any of the points, and returns the largest value
// that it had at one of them before (0 if none was positive). Each point in turn is projected on its
// half-space value <= 0, ten rounds (Kaczmarz 1937); what is left is taken off all 64 coefficients (S8).
// Where bodies overlap, parts of their surfaces lie deeper inside of the union than values are stored: such
// points stay as they are. One as far outside is no point of the body that the bricks hold: the grid has lost
// it, and what is returned is half_width at least.
double cover_points(BrickGrid& coefficients, const std::vector<Vec3>& points);

}  // namespace keydrape
