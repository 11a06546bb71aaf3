#pragma once

#include <cmath>

#include "core/cloth/cloth.h"

namespace keydrape::test {

enum class Diagonals { kParallel, kAlternating };

// A square of side x side vertices and 0.5 m, slightly wavy so that no direction is special; without pins.
inline ClothDescription wavy_sheet(int side, Diagonals diagonals, double damping) {
  ClothDescription cloth;
  const double cell = 0.5 / (side - 1);
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i)
      cloth.mesh.positions.emplace_back(i * cell, -j * cell,
                                        0.02 * std::sin(9.0 * i * cell + 4.0 * j * cell));
  for (int j = 0; j + 1 < side; ++j)
    for (int i = 0; i + 1 < side; ++i) {
      const int a = j * side + i, b = a + 1, c = a + side, d = c + 1;
      if (diagonals == Diagonals::kParallel || (i + j) % 2) {
        cloth.mesh.triangles.push_back({a, c, b});
        cloth.mesh.triangles.push_back({b, c, d});
      } else {
        cloth.mesh.triangles.push_back({a, d, b});
        cloth.mesh.triangles.push_back({a, c, d});
      }
    }
  cloth.material = {0.3, 800, 600, 60, 3e-4, damping, 4e-4};
  return cloth;
}

// Hung by two corners of one side.
inline ClothDescription hung_wavy_sheet(int side) {
  ClothDescription cloth = wavy_sheet(side, Diagonals::kParallel, 0.01);
  VecX x(6);
  x << cloth.mesh.positions[0], cloth.mesh.positions[side - 1];
  cloth.pins = {{{0, side - 1}, {{x}, 1.0}}};
  return cloth;
}

}  // namespace keydrape::test
