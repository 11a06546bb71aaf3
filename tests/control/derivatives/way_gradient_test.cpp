// Gradients of runs whose steps take no matrix: exact along their stages, whatever the scheme.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/expect_exact.h"
#include "tests/support/gradient_run.h"
#include "tests/support/wavy_sheet.h"

namespace keydrape {
namespace {

constexpr int kSoftSide = 6, kWaySteps = 24;
constexpr double kWayDt = 2e-3;

// Soft, so that such steps may be taken; with all that may be in a scene of theirs.
ClothDescription soft_sheet() {
  ClothDescription cloth = test::wavy_sheet(kSoftSide, test::Diagonals::kAlternating, 0.01);
  cloth.material.k_warp = cloth.material.k_weft = 3.0, cloth.material.k_shear = 1.0;
  const auto where = [&](int vertex) { return VecX(cloth.mesh.positions[vertex]); };
  HardPin moving{{0}, {{where(0), where(0) + VecX(Vec3(0.05, 0.02, -0.03))}, kWaySteps * kWayDt}};
  HardPin axis{{kSoftSide - 1}, {{where(kSoftSide - 1)}, 1.0}};
  const Vec3 t = Vec3(1, 0.2, 0).normalized();
  axis.free = t * t.transpose();
  cloth.pins = {moving, axis};
  SoftPin soft{{kSoftSide * kSoftSide - 1}, {0.8}, {{where(kSoftSide * kSoftSide - 1)}, 1.0}};
  soft.stiffness = 5.0, soft.damping = 0.02;
  cloth.soft_pins = {soft};
  cloth.springs = {{{1, kSoftSide * kSoftSide - 2}, 2.0, 0.3, 0.02}};
  cloth.wind = Wind::Shared{Animated<Vec3>({{0.0, Vec3(3, 0, 2)}, {0.04, Vec3(-1, 1, 4)}}), 1.2, 1.0, 0.4};
  return cloth;
}

class ExplicitGradient : public testing::TestWithParam<ExplicitScheme> {};

TEST_P(ExplicitGradient, IsExact) {
  const ClothDescription cloth = soft_sheet();
  const VecX x = stacked(cloth.mesh.positions);
  State start{x, VecX(x.size())};
  for (Eigen::Index i = 0; i < x.size(); ++i) start.v(i) = 0.3 * std::sin(2.0 * i);
  test::GradientRun run(cloth, start, kWayDt, kWaySteps, StepMethod::kExplicit, GetParam());
  ASSERT_EQ(run.uncontrolled().first_failure(), kWaySteps);
  test::expect_exact("explicit", run.check(), test::kSmooth);
}

INSTANTIATE_TEST_SUITE_P(Schemes, ExplicitGradient,
                         testing::Values(ExplicitScheme::kSymplectic, ExplicitScheme::kVerlet,
                                         ExplicitScheme::kMidpoint, ExplicitScheme::kRungeKutta4,
                                         ExplicitScheme::kEuler));

}  // namespace
}  // namespace keydrape
