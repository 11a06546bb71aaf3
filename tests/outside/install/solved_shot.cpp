// Lets a hanging sheet swing to a keyframe, without a file: the search of an installed keydrape::control.
// Prints what the forces achieved. Exits with 1 unless the keyframe was met by forces.

#include <cmath>
#include <cstdio>

#include "control/search/search.h"

namespace {

using namespace keydrape;

constexpr int kSide = 6, kVertices = kSide * kSide;  // vertices along one side, and in all
constexpr double kSpacing = 0.08;                    // [m]

// Hangs from y = 0, vertex (i, j) at number j * kSide + i.
TriangleMesh sheet() {
  TriangleMesh mesh;
  for (int j = 0; j < kSide; ++j)
    for (int i = 0; i < kSide; ++i) mesh.positions.emplace_back(kSpacing * i, -kSpacing * j, 0.0);
  for (int j = 0; j + 1 < kSide; ++j)
    for (int i = 0; i + 1 < kSide; ++i) {
      const int a = j * kSide + i, b = a + kSide;
      mesh.triangles.push_back({a, b, b + 1});
      mesh.triangles.push_back({a, b + 1, a + 1});
    }
  return mesh;
}

// The upper row is held where it is.
HardPin upper_row(const VecX& x) {
  HardPin pin{.motion = {.samples = {x.head(3 * kSide)}}};
  for (int i = 0; i < kSide; ++i) pin.vertices.push_back(i);
  return pin;
}

Task swing_by(double angle) {
  Task task;
  task.cloth.mesh = sheet();
  task.cloth.material = find_material_preset("cotton").value();
  task.start.x = stacked(task.cloth.mesh.positions);
  task.start.v = VecX::Zero(task.start.x.size());
  task.cloth.pins.push_back(upper_row(task.start.x));
  task.grid = {.interval_count = 12, .intervals_per_second = 24.0, .substeps = 2};
  for (int i = 0; i < kVertices; ++i) task.pushing.vertices.push_back(i);
  task.effort.automatic = true;
  Target target;
  target.keyframe.state = task.grid.step_count();
  target.keyframe.vertex_weight = VecX::Ones(kVertices);
  target.keyframe.target = task.start.x;
  for (int i = 0; i < kVertices; ++i) {
    const double y = task.start.x(3 * i + 1);
    target.keyframe.target(3 * i + 1) = y * std::cos(angle);
    target.keyframe.target(3 * i + 2) = -y * std::sin(angle);
  }
  target.tolerance = 0.01;
  task.targets.push_back(target);
  return task;
}

}  // namespace

int main() {
  const PreparedTask task = prepare(swing_by(0.4));
  SearchObserver observer;
  const SearchResult found = search(task, {}, observer);
  std::printf("%s, after %d runs\n", found.summary.sentence().c_str(),
              found.summary.work.forward_simulations);
  if (!found.best) return 1;
  VecX u(3 * kVertices);
  ControlForces(*task.layout, found.best->z).force(0, u);
  std::printf("missed by %.2f mm, without forces by %.0f mm; %.3g N in the first step\n",
              1e3 * found.targets[0].miss.rms, 1e3 * found.targets[0].uncontrolled_rms, u.norm());
  return found.reached() && u.norm() > 0.0 ? 0 : 1;
}
