#pragma once

#include <algorithm>
#include <cmath>

#include "core/cloth/cloth.h"
#include "core/cloth/state.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

// Cloth that begins through itself, for tests.

namespace keydrape::test {

struct CrossedSheets {
  ClothDescription cloth;
  State start;
  int upper;  // the first vertex of the one that hangs
};

// A sheet that its border holds, level in z = 0, and one that hangs through it by a quarter of its height, by
// its upper edge: this goes up by `lift` [m] in so many steps, then down by as much in as many.
inline CrossedSheets crossed_sheets(double dt, int steps, double lift, const Material& material) {
  constexpr double kSide = 0.4, kWidth = 0.2;
  constexpr int kCells = 6, kHanging = 4;
  TriangleMesh mesh = distorted(square(kCells, kSide), Vec2(kSide, kSide), 0.1, 1);
  const std::vector<int> border = vertices_where(
      mesh, [](const Vec3& p) { return std::min(p.x(), p.y()) == 0.0 || std::max(p.x(), p.y()) == kSide; });
  const TriangleMesh hanging = distorted(square(kHanging, kWidth), Vec2(kWidth, kWidth), 0.1, 2);
  const int n = mesh.vertex_count();
  std::vector<int> top;
  for (int i = 0; i < hanging.vertex_count(); ++i) {
    const Vec3& p = hanging.positions[i];
    if (p.y() == kWidth) top.push_back(n + i);
    mesh.positions.push_back({0.103 + p.x(), 0.187 + 0.1 * p.x(), p.y() - 0.25 * kWidth + 0.003});
  }
  for (const auto& [i, j, k] : hanging.triangles) mesh.triangles.push_back({i + n, j + n, k + n});
  CrossedSheets scene{cloth_of(mesh, material, Vec3(0, 0, -kStandardGravity)), {}, n};
  scene.cloth.contact.self = true;
  scene.cloth.contact.exempt_start = true;
  scene.start = {stacked(mesh.positions), VecX::Zero(3 * mesh.vertex_count())};
  HardPin hand = held(scene.start.x, top);
  const VecX first = hand.motion.samples[0];
  hand.motion.sample_interval = dt;
  for (int k = 1; k <= 2 * steps; ++k) {
    VecX x = first;
    const double height = lift * (k <= steps ? k : 2 * steps - k) / steps;
    for (Eigen::Index i = 2; i < x.size(); i += 3) x(i) += height;
    hand.motion.samples.push_back(x);
  }
  scene.cloth.pins = {held(scene.start.x, border), hand};
  scene.start.exempt = start_exemptions(scene.cloth, scene.start.x);
  return scene;
}

}  // namespace keydrape::test
