#include "examples/generator/flag.h"

#include <Eigen/Geometry>
#include <cassert>
#include <cmath>
#include <numbers>

#include "examples/generator/bend.h"
#include "examples/generator/restore_lengths.h"

namespace keydrape::examples {

namespace {

using std::numbers::pi;

constexpr double kCell = 0.03125;                                 // [m]
constexpr double kHeight = kCell * (kFlagSheet.point_count - 1);  // [m]
constexpr double kCurveLength = 2.0;  // [m] more than the stretched flag's diagonal across the rulings

// `shape` applied to the flat flag, which is then given back the lengths that chords take off arcs (0.25 %).
template <class Shape>
std::vector<Vec3> bent_flag(double fly_scale, const Shape& shape) {
  const std::vector<Vec3> flat = flag_flat(fly_scale);
  std::vector<Vec3> bent;
  bent.reserve(flat.size());
  for (const Vec3& p : flat) bent.push_back(shape(p));
  return restore_lengths(bent, edges(kFlagSheet, flat), {.pinned_count = kFlagPinnedCount});
}

}  // namespace

std::vector<Vec3> flag_flat(double fly_scale) {
  std::vector<Vec3> positions;
  for (int line = 0; line < kFlagSheet.line_count; ++line) {
    for (int point = 0; point < kFlagSheet.point_count; ++point) {
      positions.emplace_back(fly_scale * kCell * line, kCell * point, 0);
    }
  }
  return positions;
}

TriangleMesh flag_rest() {
  TriangleMesh mesh;
  mesh.positions = flag_flat(1);
  mesh.triangles = triangles(kFlagSheet);
  for (const Vec3& p : mesh.positions) mesh.uvs.push_back(p.head<2>());
  mesh.uv_triangles = mesh.triangles;
  return mesh;
}

std::vector<Vec3> flag_billowing(double fly_scale) {
  const double lean = 14 * pi / 180, wavelength = 0.75;
  const auto tangent_angle = [&](double s) {
    return ease(s, 0, 0.4) * (0.15 + 0.9 * std::sin(2 * pi * s / wavelength));
  };
  const double upper_hoist_corner = kHeight * std::sin(lean);
  return bent_flag(fly_scale, Bend(tangent_angle, lean, upper_hoist_corner, kCurveLength));
}

std::vector<Vec3> flag_curling(double fly_scale) {
  const double swing_width = 0.3, swing_angle = -35 * pi / 180;
  const Bend swing([&](double s) { return swing_angle * ease(s, 0, swing_width); }, 0, 0, kCurveLength);
  const Vec3 hinge = swing({swing_width, 0, 0});
  const Mat3 turn = Eigen::AngleAxisd(-swing_angle, Vec3::UnitY()).toRotationMatrix();

  const double lean = 20 * pi / 180, radius = 0.15, tightening = 0.8;
  // The curvature never decreases, hence the curve never meets itself (Kneser) as long as no
  // full circle closes.
  const Bend roll(
      [&](double s) {
        return s < tightening ? s * s / (2 * radius * tightening) : (s - tightening / 2) / radius;
      },
      lean, swing_width * std::cos(lean) + kHeight * std::sin(lean), kCurveLength);

  return bent_flag(fly_scale, [&](const Vec3& p) -> Vec3 {
    if (p.x() <= swing_width) return swing(p);
    return hinge + turn * (roll(p) - Vec3(swing_width, 0, 0));
  });
}

}  // namespace keydrape::examples
