// Coulomb's incline with cloth on cloth: a patch on a sheet that is held all over, along a slope of 0.5.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kSlidingDt = 0.01, kSlopeGravity = 9.81, kSlope = 0.5;
const double kCosine = 1 / std::hypot(1.0, kSlope);

// Seen from the incline: x points downhill, z off it.
struct Incline {
  ClothDescription cloth;
  VecX x;
  int first;  // vertex of the patch

  explicit Incline(const Animated<double>& mu) {
    TriangleMesh mesh = sheet(14, 4, Vec2(1.4, 0.4));
    first = mesh.vertex_count();
    const TriangleMesh patch = square(3, 0.1);
    for (const Vec3& p : patch.positions) mesh.positions.push_back(p + Vec3(0.117, 0.143, 0));
    for (const auto& [i, j, k] : patch.triangles) mesh.triangles.push_back({i + first, j + first, k + first});
    cloth = cloth_of(mesh, cotton(), Vec3(0, 0, -kSlopeGravity * kCosine));
    cloth.contact.self = true;
    cloth.contact.friction = mu;
    x = stacked(mesh.positions);
    std::vector<int> below(first);
    for (int i = 0; i < first; ++i) below[i] = i;
    cloth.pins = {held(x, below)};
    for (int i = first; i < mesh.vertex_count(); ++i)
      x(3 * i + 2) += 0.9 * surface_contact_law(cloth).barrier.range();
  }

  double place(const VecX& at) const {
    return at.tail(at.size() - 3 * first).reshaped(3, at.size() / 3 - first).row(0).mean();
  }

  // How far the patch slides within 2 s, once it lies still [m].
  double slide(StepMethod method = StepMethod::kConverged) {
    const State still{x, VecX::Zero(x.size())};
    const VecX settled = run(build_model(cloth), options_of(kSlidingDt), still, 50).back().x;
    cloth.gravity = Vec3(kSlopeGravity * kCosine * Vec3(kSlope, 0, -1));
    SimulatorOptions options = options_of(kSlidingDt);
    options.method = method;
    const Motion motion = run(build_model(cloth), options, {settled, still.v}, 200);
    EXPECT_EQ(motion.unconverged(), 0);
    return place(motion.back().x) - place(settled);
  }
};

TEST(SelfFriction, PatchOnClothObeysCoulomb) {
  const double slides = Incline(0.45).slide(), sticks = Incline(0.51).slide();
  std::printf("slides %.4f m at 0.45, %.2e m at 0.51\n", slides, sticks);
  EXPECT_NEAR(slides, 0.877, 0.03 * 0.877);  // 1/2 g cos (tan - mu) t^2
  EXPECT_LT(std::abs(sticks), 1e-3);
  const double lets_go = Incline(Animated<double>({{1.0, 0.6}, {1.0 + kSlidingDt, 0.3}})).slide();
  EXPECT_NEAR(lets_go, 0.877, 0.04 * 0.877);  // of its last second
  // Linearised steps are late to let go, by some steps, and then slide.
  const double late = Incline(0.45).slide(StepMethod::kLinearized);
  EXPECT_GT(late, 0.15);
  EXPECT_LT(late, 0.88);
  EXPECT_LT(Incline(0.55).slide(StepMethod::kLinearized), 5e-3);
}

}  // namespace
}  // namespace keydrape
