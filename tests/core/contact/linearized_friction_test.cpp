// Coulomb's incline and a conveyor in linearised steps: they neither hold what slides nor drive it on and on.

#include <gtest/gtest.h>

#include <cmath>

#include "core/contact/body/shape/half_space.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kSlideDt = 0.001, kSlideGravity = 9.81, kSlideSlope = 0.5;
const double kSlideCosine = 1 / std::hypot(1.0, kSlideSlope);

// A plane that moves along itself, or stands.
std::shared_ptr<const Collider> plane(double speed) {
  RigidMotion motion;
  if (speed > 0.0)
    motion = RigidMotion({{0.0, Vec3::Zero(), Eigen::Quaterniond::Identity()},
                          {10.0, Vec3(10 * speed, 0, 0), Eigen::Quaterniond::Identity()}});
  return std::make_shared<RigidCollider>(std::make_unique<HalfSpace>(Vec3::Zero(), Vec3::UnitZ()),
                                         std::move(motion));
}

// Seen from the plane: x points along it, downhill where it is tilted. How far a patch goes in a second.
double way(double mu, double speed, double slope, ContactMethod method) {
  ClothDescription cloth = cloth_of(square(3, 0.1), cotton(), Vec3(0, 0, -kSlideGravity));
  cloth.bodies = {{plane(speed), mu}};
  cloth.contact.method = method;
  for (Vec3& p : cloth.mesh.positions) p.z() = 0.9 * body_contact_law(cloth).barrier.range();
  const DrapeResult rest = settle(build_model(cloth), stacked(cloth.mesh.positions), 1e-7);
  if (slope > 0.0) cloth.gravity = Vec3(kSlideGravity * kSlideCosine * Vec3(slope, 0, -1));
  const Motion motion = run(build_model(cloth), linearized(kSlideDt), {rest.x, VecX::Zero(rest.x.size())},
                            static_cast<int>(1 / kSlideDt));
  const auto mean = [](const VecX& x) { return x.reshaped(3, x.size() / 3).row(0).mean(); };
  return mean(motion.back().x) - mean(rest.x);
}

class LinearizedFriction : public testing::TestWithParam<ContactMethod> {};

// While cloth gets faster it is held by as much more as that is in a step: late by mu g h log(v/v_stuck).
TEST_P(LinearizedFriction, ObeysCoulombOnAnIncline) {
  for (const double mu : {0.1, 0.4}) {
    const double v = kSlideGravity * kSlideCosine * (kSlideSlope - mu), free = 0.5 * v;
    const double late =
        mu * kSlideGravity * kSlideCosine * kSlideDt * std::log(v / ClothDescription().contact.sliding_speed);
    const double found = way(mu, 0.0, kSlideSlope, GetParam());
    EXPECT_GT(found, 0.99 * free - late) << mu;
    EXPECT_LT(found, 1.01 * free) << mu;
  }
  EXPECT_LT(way(0.55, 0.0, kSlideSlope, GetParam()), 2e-3);
}

// mu g t until it goes along with the plane, and no faster.
TEST_P(LinearizedFriction, TakesClothAlongAsFastAsTheBodyAndNoFaster) {
  const double catches_up = 0.5 / (0.3 * kSlideGravity);  // [s]
  EXPECT_NEAR(way(0.3, 0.5, 0.0, GetParam()), 0.5 * (1 - 0.5 * catches_up), 0.02);
}

INSTANTIATE_TEST_SUITE_P(Methods, LinearizedFriction,
                         testing::Values(ContactMethod::kBarrier, ContactMethod::kPenalty));

}  // namespace
}  // namespace keydrape
