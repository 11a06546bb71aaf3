#pragma once

#include <vector>

#include "core/base/types.h"

namespace keydrape {

// Of triangles at positions x (3n), in the square of their unit.
double surface_area(const std::vector<Triangle>& triangles, const VecX& x);

// Area of the shadow that triangles at positions x [m] (3n) cast along `direction`, which is not zero, on a
// plane across it: what several layers cover counts once [m^2]. On a grid of so many cells along the longer
// side; its error is about the length of the shadow's outline times half a cell.
double shadow_area(const std::vector<Triangle>& triangles, const VecX& x, const Vec3& direction,
                   int cells = 2048);

// Chu, Cummings & Teixeira 1950, Cusick 1968: of a round table's sample that hangs over its rim, the share of
// the overhang that its shadow covers: 1 is a board. Areas in m^2; requires support < sample.
double drape_coefficient(double shadow, double sample, double support);

}  // namespace keydrape
