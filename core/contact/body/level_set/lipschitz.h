#pragma once

#include "core/contact/body/level_set/brick_grid.h"

namespace keydrape {

// A bound on |grad phi| of the cubic B-spline with these coefficients where |phi| < band. Its derivative
// along x is a mean, with weights that are not negative, of the differences of neighbouring coefficients
// along x, hence
//
//   |grad phi|^2 <= max_cells sum_a ( max over the cell's 48 pairs along a of |difference| / voxel )^2   (S9)
//
// over the cells whose 64 coefficients are stored and not all above band, nor all below -band: phi is a mean
// of them. 1 for a plane along an axis; 1.0x for smooth shapes.
double lipschitz_bound(const BrickGrid& coefficients, double band);

}  // namespace keydrape
