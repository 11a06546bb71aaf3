// Hangs a square sheet by two corners, lets it fall for ten steps and prints the lowest height that it
// reached [m]. Exits with 1 if a step did not converge or the sheet did not fall.

#include <algorithm>
#include <cstdio>

#include "core/cloth/cloth.h"
#include "core/linear/library_threads.h"
#include "core/step/simulator.h"

namespace {

constexpr int kSide = 8;            // vertices along one side
constexpr double kSpacing = 0.05;   // [m]
constexpr double kDt = 1.0 / 96.0;  // [s]
constexpr int kStepCount = 10;

// Level at height 0, vertex (i, j) at number i * kSide + j.
keydrape::TriangleMesh sheet() {
  keydrape::TriangleMesh mesh;
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) mesh.positions.emplace_back(kSpacing * i, 0.0, -kSpacing * j);
  for (int i = 0; i + 1 < kSide; ++i) {
    for (int j = 0; j + 1 < kSide; ++j) {
      const int a = i * kSide + j, b = a + kSide;
      mesh.triangles.push_back({a, b, b + 1});
      mesh.triangles.push_back({a, b + 1, a + 1});
    }
  }
  return mesh;
}

double lowest_height(const keydrape::VecX& x) {
  double lowest = x(1);
  for (int i = 1; i < x.size(); i += 3) lowest = std::min(lowest, x(i));
  return lowest;
}

}  // namespace

int main() {
  using namespace keydrape;
  limit_library_threads();
  ClothDescription cloth;
  cloth.mesh = sheet();
  cloth.material = find_material_preset("cotton").value();
  const VecX x0 = stacked(cloth.mesh.positions);
  const int corner = kSide - 1;  // the corners 0 and kSide - 1 are held where they are
  cloth.pins.push_back({.vertices = {0, corner}, .motion = {.samples = {VecX(6)}}});
  cloth.pins[0].motion.samples[0] << x0.head<3>(), x0.segment<3>(3 * corner);

  const Model model = build_model(cloth);
  const Simulator simulator(model, {.dt = kDt});
  const VecX no_force = VecX::Zero(x0.size());
  StepWorkspace work;
  StepResult step{{x0, no_force}, {}, nullptr};
  for (int n = 0; n < kStepCount; ++n) {
    step = simulator.step(n, step.next, no_force, {step.factor.get()}, work);
    if (!step.report.converged()) {
      std::printf("step %d did not converge\n", n);
      return 1;
    }
  }
  const double lowest = lowest_height(step.next.x);
  std::printf("lowest height after %d steps: %.6f m\n", kStepCount, lowest);
  return lowest < 0.0 ? 0 : 1;
}
