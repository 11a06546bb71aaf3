#include "examples/generator/sample.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace keydrape::examples {

namespace {

constexpr int kSectors = 6;

// Of the point in a ring, counted round; ring 0 is the middle vertex.
int vertex(int ring, int point) {
  if (ring == 0) return 0;
  const int count = kSectors * ring;
  return 1 + kSectors * (ring - 1) * ring / 2 + point % count;
}

}  // namespace

TriangleMesh sample_rest() {
  TriangleMesh mesh;
  for (int ring = 0; ring <= kSampleRings; ++ring) {
    const double radius = kSampleRadius * ring / kSampleRings;
    for (int point = 0; point < std::max(1, kSectors * ring); ++point) {
      const double angle = ring == 0 ? 0.0 : 2 * std::numbers::pi * point / (kSectors * ring);
      mesh.positions.emplace_back(radius * std::cos(angle), 0.0, radius * std::sin(angle));
      if (radius < kTableRadius + 1e-9) mesh.groups["table"].push_back(vertex(ring, point));
    }
  }
  // A sector between two rings: `ring` points of the outer one see a point of the inner one each, and the
  // gaps between them are filled from outside. Counter-clockwise seen from above.
  for (int ring = 1; ring <= kSampleRings; ++ring)
    for (int sector = 0; sector < kSectors; ++sector)
      for (int i = 0; i < ring; ++i) {
        const int outer = sector * ring + i, inner = sector * (ring - 1) + i;
        mesh.triangles.push_back({vertex(ring, outer + 1), vertex(ring, outer), vertex(ring - 1, inner)});
        if (i + 1 < ring)
          mesh.triangles.push_back(
              {vertex(ring - 1, inner), vertex(ring - 1, inner + 1), vertex(ring, outer + 1)});
      }
  return mesh;
}

}  // namespace keydrape::examples
