#include "examples/generator/twist.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <numbers>

namespace keydrape::examples {

namespace {

constexpr double kCell = 0.025;      // [m]
constexpr double kShortening = 0.2;  // of the distance of the ends, in all [m]

// From 0 to 1 with no speed at either end.
double ease(double s) { return s * s * (3 - 2 * s); }

}  // namespace

TriangleMesh twist_rest() {
  TriangleMesh mesh;
  const Vec3 middle(0.5 * (kTwistSheet.line_count - 1), 0, 0.5 * (kTwistSheet.point_count - 1));
  for (int line = 0; line < kTwistSheet.line_count; ++line) {
    for (int point = 0; point < kTwistSheet.point_count; ++point) {
      mesh.positions.push_back(kCell * (Vec3(line, 0, kTwistSheet.point_count - 1 - point) - middle));
      mesh.uvs.emplace_back(kCell * line, kCell * point);
    }
  }
  mesh.triangles = triangles(kTwistSheet);
  mesh.uv_triangles = mesh.triangles;
  return mesh;
}

std::vector<int> twist_ends() {
  std::vector<int> ends;
  for (const int line : {0, kTwistSheet.line_count - 1})
    for (int point = 0; point < kTwistSheet.point_count; ++point)
      ends.push_back(kTwistSheet.vertex(line, point));
  return ends;
}

std::vector<Vec3> twist_ends_at(int frame) {
  const TriangleMesh rest = twist_rest();
  const double s = ease(std::min(1.0, static_cast<double>(frame) / kTwistFrames));
  std::vector<Vec3> positions;
  for (const int v : twist_ends()) {
    const Vec3& x = rest.positions[v];
    const double side = x.x() < 0 ? -1 : 1;
    const Eigen::AngleAxisd turn(side * s * kTwistTurns * std::numbers::pi, Vec3::UnitX());
    positions.push_back(turn * x - Vec3(0.5 * side * s * kShortening, 0, 0));
  }
  return positions;
}

}  // namespace keydrape::examples
