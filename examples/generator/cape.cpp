#include "examples/generator/cape.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace keydrape::examples {

namespace {

using std::numbers::pi;

constexpr double kWidth = 1.3;  // over depth

// Half the depth, and the height [m].
const Vec2 kBodyProfile[] = {{0.10, 0.80},  {0.15, 0.82},  {0.17, 0.90},  {0.165, 1.00},
                             {0.145, 1.10}, {0.155, 1.20}, {0.16, 1.30},  {0.15, 1.37},
                             {0.12, 1.43},  {0.075, 1.47}, {0.055, 1.51}, {0.055, 1.56},
                             {0.085, 1.61}, {0.10, 1.67},  {0.09, 1.74},  {0.05, 1.785}};
const Vec2 kCapeProfile[] = {{0.095, 1.49}, {0.18, 1.40}, {0.21, 1.27}, {0.32, 0.82}};
constexpr double kOpening = 70 * pi / 180;  // to either side of the front

// The body's keys in cape.toml: from frame 3 on it turns and steps, in even motion.
constexpr double kBegin = 3, kEndOfTurn = 15, kEndOfStep = 19;  // frames
constexpr double kTurn = 60 * pi / 180;
const Vec3 kStep(0, 0, -0.2);  // [m]

// The point of a profile at a share s of its length.
template <size_t N>
Vec2 along(const Vec2 (&profile)[N], double s) {
  double length = 0.0;
  for (size_t k = 1; k < N; ++k) length += (profile[k] - profile[k - 1]).norm();
  double left = s * length;
  for (size_t k = 1; k < N; ++k) {
    const Vec2 side = profile[k] - profile[k - 1];
    if (left <= side.norm() || k + 1 == N) return profile[k - 1] + left / side.norm() * side;
    left -= side.norm();
  }
  return profile[N - 1];
}

// At an azimuth from the back, +Z.
Vec3 on_oval(const Vec2& profile, double azimuth) {
  return {kWidth * profile.x() * std::sin(azimuth), profile.y(), profile.x() * std::cos(azimuth)};
}

}  // namespace

TriangleMesh cape_body() {
  constexpr int kAround = 40, kRings = std::size(kBodyProfile);
  TriangleMesh mesh;
  for (const Vec2& profile : kBodyProfile)
    for (int i = 0; i < kAround; ++i) mesh.positions.push_back(on_oval(profile, 2 * pi * i / kAround));
  const int bottom = mesh.vertex_count(), top = bottom + 1;
  mesh.positions.emplace_back(0, 0.80, 0);
  mesh.positions.emplace_back(0, 1.79, 0);
  const auto vertex = [](int ring, int i) { return ring * kAround + i % kAround; };
  for (int i = 0; i < kAround; ++i) {
    mesh.triangles.push_back({bottom, vertex(0, i + 1), vertex(0, i)});
    for (int ring = 0; ring + 1 < kRings; ++ring) {
      mesh.triangles.push_back({vertex(ring, i), vertex(ring, i + 1), vertex(ring + 1, i + 1)});
      mesh.triangles.push_back({vertex(ring, i), vertex(ring + 1, i + 1), vertex(ring + 1, i)});
    }
    mesh.triangles.push_back({top, vertex(kRings - 1, i), vertex(kRings - 1, i + 1)});
  }
  return mesh;
}

TriangleMesh cape_rest() {
  TriangleMesh mesh;
  for (int line = 0; line < kCapeSheet.line_count; ++line) {
    const Vec2 profile = along(kCapeProfile, line / (kCapeSheet.line_count - 1.0));
    for (int point = 0; point < kCapeSheet.point_count; ++point) {
      const double azimuth = (pi - kOpening) * (2 * point / (kCapeSheet.point_count - 1.0) - 1);
      mesh.positions.push_back(on_oval(profile, azimuth));
      mesh.uvs.emplace_back(0.05 * point, -0.037 * line);
    }
  }
  mesh.triangles = triangles(kCapeSheet);
  mesh.uv_triangles = mesh.triangles;
  return mesh;
}

std::vector<Vec3> cape_collar_at(int frame) {
  const auto share = [&](double end) { return std::clamp((frame - kBegin) / (end - kBegin), 0.0, 1.0); };
  const Eigen::AngleAxisd turn(share(kEndOfTurn) * kTurn, Vec3::UnitY());
  const TriangleMesh rest = cape_rest();
  std::vector<Vec3> positions;
  positions.reserve(kCapeSheet.point_count);
  for (int point = 0; point < kCapeSheet.point_count; ++point)
    positions.push_back(turn * rest.positions[kCapeSheet.vertex(0, point)] + share(kEndOfStep) * kStep);
  return positions;
}

}  // namespace keydrape::examples
