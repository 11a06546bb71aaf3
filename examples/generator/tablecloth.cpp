#include "examples/generator/tablecloth.h"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

namespace keydrape::examples {

namespace {

using std::numbers::pi;

constexpr double kCell = 1.0 / (kTableclothSheet.line_count - 1);  // [m]
constexpr double kTableHeight = 0.72;                              // [m]
constexpr double kTableRadius = 0.35;                              // [m]
constexpr double kRimRadius = 0.03;                                // [m]
constexpr double kDrop = 0.02;                                     // [m]

}  // namespace

TriangleMesh table_top() {
  constexpr int kAround = 96, kRimArcs = 8;
  constexpr double kMiddleHeight = kTableHeight - kRimRadius;
  TriangleMesh mesh;
  // Rings from the upper flat's border round the rim to the lower flat's, then the middles of both flats.
  for (int ring = 0; ring <= kRimArcs; ++ring) {
    const double rise = pi / 2 - pi * ring / kRimArcs;
    const double radius = kTableRadius - kRimRadius + kRimRadius * std::cos(rise);
    for (int i = 0; i < kAround; ++i) {
      const double azimuth = 2 * pi * i / kAround;
      mesh.positions.emplace_back(radius * std::sin(azimuth), kMiddleHeight + kRimRadius * std::sin(rise),
                                  radius * std::cos(azimuth));
    }
  }
  const int top = mesh.vertex_count(), bottom = top + 1;
  mesh.positions.emplace_back(0, kTableHeight, 0);
  mesh.positions.emplace_back(0, kTableHeight - 2 * kRimRadius, 0);

  const auto vertex = [](int ring, int i) { return ring * kAround + i % kAround; };
  for (int i = 0; i < kAround; ++i) {
    mesh.triangles.push_back({top, vertex(0, i), vertex(0, i + 1)});
    for (int ring = 0; ring < kRimArcs; ++ring) {
      mesh.triangles.push_back({vertex(ring, i), vertex(ring + 1, i), vertex(ring + 1, i + 1)});
      mesh.triangles.push_back({vertex(ring, i), vertex(ring + 1, i + 1), vertex(ring, i + 1)});
    }
    mesh.triangles.push_back({bottom, vertex(kRimArcs, i + 1), vertex(kRimArcs, i)});
  }
  return mesh;
}

TriangleMesh tablecloth_rest() {
  TriangleMesh mesh;
  for (int line = 0; line < kTableclothSheet.line_count; ++line) {
    for (int point = 0; point < kTableclothSheet.point_count; ++point) {
      mesh.positions.emplace_back(kCell * line - 0.5, kTableHeight + kDrop, 0.5 - kCell * point);
      mesh.uvs.emplace_back(kCell * line, kCell * point);
    }
  }
  mesh.triangles = triangles(kTableclothSheet);
  mesh.uv_triangles = mesh.triangles;
  return mesh;
}

TriangleMesh tablecloth_askew() {
  const Eigen::AngleAxisd turn(10 * pi / 180, Vec3::UnitY());
  const Vec3 shift(0.032, 0, 0.024);
  TriangleMesh mesh = tablecloth_rest();
  for (Vec3& x : mesh.positions) x = turn * x + shift;
  return mesh;
}

}  // namespace keydrape::examples
