#pragma once

#include "tests/support/meshes.h"

namespace keydrape::test {

// sheet(), but all diagonals rise from left to right.
inline TriangleMesh lattice(int nx, int ny, const Vec2& size) {
  TriangleMesh mesh = sheet(nx, ny, size);
  mesh.triangles.clear();
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      const int a = j * (nx + 1) + i, b = a + 1, d = a + nx + 1, c = d + 1;
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({a, c, d});
    }
  return mesh;
}

}  // namespace keydrape::test
