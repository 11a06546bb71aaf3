#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

TEST(Determinism, SameBitsForEveryThreadCount) {
  constexpr int kCells = 40, kSteps = 30;
  ClothDescription cloth = cloth_of(square(kCells, 1.0), cotton(0.005), Vec3(0, 0, -9.81));
  cloth.wind = Wind::Shared{};
  cloth.wind->velocity = Vec3(2, 1, 3);
  const VecX x0 = stacked(cloth.mesh.positions);
  cloth.pins = {held(x0, {0, kCells})};
  std::vector<Motion> motions;
  for (int threads : {1, 2, 4}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    motions.push_back(run(build_model(cloth), options_of(1.0 / 96), {x0, VecX::Zero(x0.size())}, kSteps));
    EXPECT_EQ(motions.back().unconverged(), 0);
  }
  for (size_t m : {1, 2})
    for (int n = 1; n <= kSteps; ++n) {
      ASSERT_EQ(motions[m].states[n].x, motions[0].states[n].x) << "step " << n;
      ASSERT_EQ(motions[m].states[n].v, motions[0].states[n].v) << "step " << n;
      ASSERT_EQ(motions[m].reports[n - 1].iterations, motions[0].reports[n - 1].iterations);
    }
  EXPECT_GE((motions[0].back().x - x0).lpNorm<Eigen::Infinity>(), 0.1);  // it did move
  std::printf("1, 2 and 4 threads: same bits over %d steps, %d vertices\n", kSteps,
              static_cast<int>(x0.size() / 3));
}

}  // namespace
}  // namespace keydrape
