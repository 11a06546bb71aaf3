// What a hand holds is a soft pin, to the bit, though it changes as the steps go on.

#include "core/energy/hand/hand.h"

#include <gtest/gtest.h>

#include "core/step/simulator.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kHandDt = 1.0 / 48;
constexpr int kSteps = 12, kTaken = 3, kLeft = 9;  // steps from behind kTaken to kLeft

ClothDescription hung_by_corners() {
  ClothDescription cloth = cloth_of(square(6, 0.5), cotton(0.005), Vec3(0, 0, -9.81));
  const VecX x0 = stacked(cloth.mesh.positions);
  cloth.pins = {held(x0, {0, 1})};
  return cloth;
}

SoftPin led(const VecX& x0, int last) {
  SoftPin pin;
  pin.vertices = {20, 21, 27};
  pin.weights = {1.0, 1.0, 1.0};
  pin.motion.sample_interval = kHandDt;
  for (int k = 0; k <= last; ++k) {
    VecX sample(9);
    for (int i = 0; i < 3; ++i)
      sample.segment<3>(3 * i) = x0.segment<3>(3 * pin.vertices[static_cast<std::size_t>(i)]) +
                                 std::max(0, k - kTaken) * Vec3(0.01, 0, 0.02);
    pin.motion.samples.push_back(sample);
  }
  pin.stiffness = 40.0;
  pin.begin_time = (kTaken + 1) * kHandDt;
  pin.end_time = last * kHandDt;
  return pin;
}

class HandTest : public testing::TestWithParam<StepMethod> {};

TEST_P(HandTest, HasTheBitsOfASoftPin) {
  const ClothDescription plain = hung_by_corners();
  const VecX x0 = stacked(plain.mesh.positions);
  ClothDescription with_hand = plain, with_pin = plain;
  const auto grip = std::make_shared<Grip>();
  with_hand.grip = grip;
  with_pin.soft_pins = {led(x0, kLeft)};
  const Model models[] = {build_model(with_hand), build_model(with_pin), build_model(plain)};
  std::vector<VecX> ends;
  for (const Model& model : models) {
    SimulatorOptions options = options_of(kHandDt);
    options.method = GetParam();
    const Simulator simulator(model, options);
    State state{x0, VecX::Zero(x0.size())};
    for (int n = 0; n < kSteps; ++n) {
      if (&model == &models[0]) *grip = n >= kTaken && n < kLeft ? grip_of(led(x0, n + 1)) : Grip{};
      state = simulator.step(n, state, VecX::Zero(x0.size())).next;
    }
    ends.push_back(state.x);
  }
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_GT((ends[0] - ends[2]).norm(), 0.01);
}

INSTANTIATE_TEST_SUITE_P(Methods, HandTest, testing::Values(StepMethod::kConverged, StepMethod::kLinearized));

}  // namespace
}  // namespace keydrape
