#include "examples/generator/twin.h"

#include <cmath>
#include <numbers>

#include "core/cloth/cloth.h"

namespace keydrape::examples {

namespace {

using std::numbers::pi;

constexpr double kCell = 0.03;  // [m]

// [m/s^2] At rest position x,
//   a_z = 0.5 g sin(k . x - omega t)
double hidden_acceleration(const Vec3& x, double t) {
  const Vec2 k(2 * pi / 1.5, -2 * pi / 1.0);  // [rad/m]
  const double omega = pi;                    // [rad/s]
  return 0.5 * kStandardGravity * std::sin(k.dot(x.head<2>()) - omega * t);
}

}  // namespace

TriangleMesh twin_rest() {
  TriangleMesh mesh;
  for (int line = 0; line < kTwinSheet.line_count; ++line) {
    for (int point = 0; point < kTwinSheet.point_count; ++point) {
      mesh.positions.emplace_back(kCell * point, -kCell * line, 0);
    }
  }
  mesh.triangles = triangles(kTwinSheet);
  for (const Vec3& x : mesh.positions) mesh.uvs.push_back(x.head<2>());
  mesh.uv_triangles = mesh.triangles;
  return mesh;
}

std::vector<VecX> twin_hidden_forces() {
  const TriangleMesh rest = twin_rest();
  // Masses need no more of the material than its density, which make_twin.toml leaves to the preset.
  ClothDescription cloth;
  cloth.mesh = rest;
  cloth.material = find_material_preset("denim").value();
  const Model model = build_model(cloth);
  std::vector<VecX> forces(kTwinFrameCount, VecX::Zero(3 * rest.vertex_count()));
  for (int frame = 0; frame + 1 < kTwinFrameCount; ++frame) {
    for (int i = 0; i < rest.vertex_count(); ++i) {
      forces[frame][3 * i + 2] =
          model.vertex_mass()[i] * hidden_acceleration(rest.positions[i], frame / kTwinFps);
    }
  }
  return forces;
}

}  // namespace keydrape::examples
