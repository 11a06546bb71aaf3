#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/motion.h"
#include "tests/support/sliver_sheet.h"

// Cloth of meshes as strangers have them: every step converges.

namespace keydrape::test {
namespace {

struct SliverShot {
  double aspect;
  unsigned seed;
  double wind;  // [m/s]
  const char* preset;
};

void PrintTo(const SliverShot& shot, std::ostream* out) {
  *out << "slivers of " << shot.aspect << ", seed " << shot.seed << ", wind " << shot.wind << " m/s, "
       << shot.preset;
}

class Slivers : public testing::TestWithParam<SliverShot> {};

// A wavy sheet of uneven triangles, some of them slivers, held by two corners in the wind.
TEST_P(Slivers, EveryStepConverges) {
  const SliverShot& shot = GetParam();
  constexpr int kCells = 12, kSlivers = 30, kSteps = 40;
  constexpr double kSide = 0.5;
  TriangleMesh mesh = with_slivers(distorted(square(kCells, kSide), Vec2(kSide, kSide), 0.3, shot.seed),
                                   shot.aspect, kSlivers, shot.seed);
  for (Vec3& p : mesh.positions) p.z() = 0.02 * std::sin(9 * p.x() + 4 * p.y()) * std::cos(11 * p.y());
  const VecX x = stacked(mesh.positions);
  ClothDescription cloth =
      cloth_of(std::move(mesh), *find_material_preset(shot.preset), Vec3(0, -kStandardGravity, 0));
  cloth.wind = Wind::Shared{Vec3(0.3 * shot.wind, 0, shot.wind)};
  cloth.pins = {held(x, {kCells * (kCells + 1), kCells * (kCells + 1) + kCells})};
  const Model model = build_model(cloth);
  const Simulator simulator(model, options_of(1.0 / 96));
  const VecX no_force = VecX::Zero(x.size());
  StepWorkspace work;
  State state{x, no_force};
  for (int n = 0; n < kSteps; ++n) {
    const StepResult step = simulator.step(n, state, no_force, {}, work);
    ASSERT_TRUE(step.report.converged()) << "step " << n << ", residual " << step.report.residual;
    state = step.next;
  }
}

// Of aspect 1000: with the angle counted on from its start alone each of these fails within the steps.
INSTANTIATE_TEST_SUITE_P(Sheets, Slivers,
                         testing::Values(SliverShot{100, 1, 10, "cotton"}, SliverShot{1000, 1, 4, "cotton"},
                                         SliverShot{1000, 1, 10, "cotton"}, SliverShot{1000, 1, 10, "silk"}));

}  // namespace
}  // namespace keydrape::test
