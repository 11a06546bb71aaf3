#pragma once

#include <random>

#include "tests/support/meshes.h"

namespace keydrape::test {

// Puts vertices into `count` triangles, picked at random: close to a corner, to an edge, or to the edge that
// two of them share, from both sides. Triangles of about this aspect arise (longest side over the height
// above it): needles, caps, and pairs of caps.
inline TriangleMesh with_slivers(TriangleMesh mesh, double aspect, int count, unsigned seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](int n) { return static_cast<int>(random() % n); };
  const auto share = [&] { return std::uniform_real_distribution<double>(0.3, 0.7)(random); };
  std::vector<bool> is_split(mesh.triangle_count(), false);
  // The triangle gets a vertex at x0 + (x1 - x0) s + (x2 - x0) t, its corners counted from `first` on.
  const auto split = [&](int triangle, int first, double s, double t) {
    const Triangle old = mesh.triangles[triangle];
    const int a = old[first], b = old[(first + 1) % 3], c = old[(first + 2) % 3], v = mesh.vertex_count();
    const Vec3 x = mesh.positions[a];
    mesh.positions.push_back(x + s * (mesh.positions[b] - x) + t * (mesh.positions[c] - x));
    mesh.triangles[triangle] = {a, b, v};
    mesh.triangles.push_back({b, c, v});
    mesh.triangles.push_back({c, a, v});
    is_split[triangle] = true;
  };
  const std::vector<Triangle> old = mesh.triangles;
  const auto beyond = [&](int a, int b) {  // the triangle that runs b -> a, and where; -1: none
    for (int t = 0; t < static_cast<int>(old.size()); ++t)
      for (int first = 0; first < 3; ++first)
        if (old[t][first] == b && old[t][(first + 1) % 3] == a) return std::pair(t, first);
    return std::pair(-1, 0);
  };
  for (int tries = 0; count > 0 && tries < 100 * count; ++tries) {
    const int t = pick(static_cast<int>(old.size())), first = pick(3), kind = pick(3);
    if (is_split[t]) continue;
    if (kind == 0) {  // a needle at a corner
      const double s = share() / aspect;
      split(t, first, s, 1 / aspect - s);
    } else if (kind == 1) {  // a cap at an edge
      split(t, first, share(), 1 / aspect);
    } else {
      const auto [other, where] = beyond(old[t][first], old[t][(first + 1) % 3]);
      if (other < 0 || is_split[other]) continue;
      split(t, first, share(), 1 / aspect);
      split(other, where, share(), 1 / aspect);
    }
    --count;
  }
  return mesh;
}

}  // namespace keydrape::test
