#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string_view>

#include "tests/support/motion.h"
#include "tests/support/sliver_sheet.h"

namespace keydrape {
namespace {

using namespace test;

// A square of random triangles, 30 of them split into slivers, in wind, hung by two corners.
struct SliverSheet {
  double side;    // [m]
  double wave;    // height of a smooth wave across the plane at rest [m]
  double noise;   // of each vertex' height at rest [m]
  double aspect;  // of the slivers
  unsigned seed;
  double wind;              // [m/s]
  std::string_view fabric;  // a preset, or new
};

constexpr int kSliverCells = 12;

Material fabric(std::string_view name) {
  Material material = *find_material_preset(name == "new" ? "wool" : name);
  if (name == "new") {  // as `keydrape new` writes it for a mesh
    material.k_warp = 900;
    material.k_weft = 850;
    material.k_shear = 80;
    material.bend = 1e-3;
    material.damping = 0.01;
  }
  return material;
}

ClothDescription hung(const SliverSheet& s) {
  TriangleMesh mesh = distorted(square(kSliverCells, s.side), Vec2(s.side, s.side), 0.3, s.seed);
  mesh = with_slivers(std::move(mesh), s.aspect, 30, s.seed);
  std::mt19937_64 random(s.seed);
  std::uniform_real_distribution<double> noise(-s.noise, s.noise);
  for (Vec3& p : mesh.positions)
    p.z() = noise(random) + s.wave * std::sin(9 * p.x() + 4 * p.y()) * std::cos(11 * p.y());
  ClothDescription cloth = cloth_of(std::move(mesh), fabric(s.fabric), Vec3(0, -9.81, 0));
  cloth.wind = Wind::Shared{Vec3(0.3 * s.wind, 0, s.wind)};
  constexpr int kCorner = kSliverCells * (kSliverCells + 1);
  cloth.pins = {held(stacked(cloth.mesh.positions), {kCorner, kCorner + kSliverCells})};
  return cloth;
}

class SliverTest : public testing::TestWithParam<SliverSheet> {};

TEST_P(SliverTest, EveryStepConverges) {
  const ClothDescription cloth = hung(GetParam());
  const Model model = build_model(cloth);
  const VecX x = stacked(cloth.mesh.positions);
  const Motion motion = run(model, options_of(1.0 / 96), {x, VecX::Zero(x.size())}, 48);
  int iterations = 0;
  for (const StepReport& report : motion.reports) iterations += report.iterations;
  std::printf("slivers of aspect %.0f in %s: %d of 48 steps unconverged, %.1f iterations a step\n",
              GetParam().aspect, GetParam().fabric.data(), motion.unconverged(), iterations / 48.0);
  EXPECT_EQ(motion.unconverged(), 0);
  EXPECT_TRUE(motion.back().x.allFinite());
}

// Each has a step that ended at a jump of the potential, or ran into a triangle without area, as long as an
// angle counted whole wherever it was.
INSTANTIATE_TEST_SUITE_P(OfAspect, SliverTest,
                         testing::Values(SliverSheet{0.1, 0.0, 0.008, 100, 21, 4, "leather"},
                                         SliverSheet{0.5, 0.02, 0.0, 1000, 1, 10, "cotton"},
                                         SliverSheet{0.02, 0.0, 0.001, 1000, 2, 4, "cotton"},
                                         SliverSheet{0.1, 0.0, 0.004, 1000, 2, 4, "new"}));

}  // namespace
}  // namespace keydrape
