// The gradient of whole runs in which triangles have hardly any area: hinges count less there.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <string>

#include "core/energy/hinge_bending.h"
#include "tests/support/expect_exact.h"
#include "tests/support/gradient_run.h"
#include "tests/support/wavy_sheet.h"

namespace keydrape {
namespace {

using namespace test;

// Triangles that have less of their area than counts whole.
int collapsed(const TriangleMesh& mesh, const VecX& x) {
  const auto area = [&](const Triangle& t, const auto& at) {
    return 0.5 * (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0])).norm();
  };
  int count = 0;
  for (const Triangle& t : mesh.triangles)
    count += area(t, [&](int v) -> Vec3 { return x.segment<3>(3 * v); }) <
             HingeBending::kWholeShare * area(
                                             t, [&](int v) { return mesh.positions[v]; });
  return count;
}

// Begins with the middle vertex, 12, on its way into a neighbour; so soft that it stays there for the run.
TEST(CollapsedGradient, IsExact) {
  constexpr int kSide = 5, kSteps = 8;
  for (const double damping : {0.0, 0.02}) {
    ClothDescription cloth = hung_wavy_sheet(kSide);
    cloth.material = {0.3, 1.0, 0.8, 0.1, 5e-3, damping, 4e-4};
    VecX x = stacked(cloth.mesh.positions);
    x.segment<3>(36) += 0.93 * (x.segment<3>(39) - x.segment<3>(36));
    GradientRun run(cloth, {x, VecX::Zero(x.size())}, 1.0 / 480, kSteps);
    const Trajectory trajectory = run.uncontrolled();
    int always = 1000;
    for (const State& state : trajectory.states) always = std::min(always, collapsed(cloth.mesh, state.x));
    EXPECT_GT(always, 0);
    expect_exact("damping " + std::to_string(damping), run.check(), kSmooth,
                 ", at least " + std::to_string(always) + " collapsed triangles");
  }
}

}  // namespace
}  // namespace keydrape
