// Pins, and what is refused, in steps that are not solved.

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/step/rounds.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

// One factor serves all steps, pins that move included, until pins come or go.
TEST(PinnedRounds, FactorIsMadeOnceForASetOfPins) {
  ClothDescription cloth = cloth_of(square(6, 0.6), cotton(0.01), Vec3(0, -9.81, 0));
  const VecX x = stacked(cloth.mesh.positions);
  cloth.pins = {held(x, {0}), held(x, {6})};
  MotionTrack& motion = cloth.pins[1].motion;
  motion.sample_interval = 1.0;
  motion.samples.push_back(motion.samples[0] + Vec3(-0.3, 0.1, 0.2));
  cloth.pins[0].end_time = 10.5 * kRoundStep;
  const Model model = build_model(cloth);
  const Simulator simulator(model, rounds_of(StepMethod::kPrefactored, 5));
  State state{x, VecX::Zero(x.size())};
  StepWorkspace work;
  for (int n = 0; n < 20; ++n) {
    state = simulator.step(n, state, VecX::Zero(x.size()), {}, work).next;
    EXPECT_LE((at(state.x, 6) - cloth.pins[1].motion.position(0, (n + 1) * kRoundStep)).norm(), 1e-15);
    EXPECT_EQ(work.matrices.made_count(), n < 10 ? 1 : 2);
  }
  EXPECT_GT((at(state.x, 0) - at(x, 0)).norm(), 1e-3);  // it was let go
}

// Vertices that slide stay on their line and in their plane, in every step that is not solved.
TEST(PinnedRounds, PinsHoldInAllThatIsNotSolved) {
  Material soft = cotton(0.002);
  soft.k_warp = soft.k_weft = 20.0, soft.k_shear = 5.0;
  ClothDescription cloth = cloth_of(square(6, 0.6), soft, Vec3(0, -9.81, 0));
  const VecX x = stacked(cloth.mesh.positions);
  const Vec3 along = Vec3(1, 0.5, 0).normalized(), normal = Vec3(0.2, 0, 1).normalized();
  cloth.pins = {held(x, {0}), held(x, {6}), held(x, {42})};
  cloth.pins[1].free = along * along.transpose();
  cloth.pins[2].free = Mat3::Identity() - normal * normal.transpose();
  cloth.pins[0].motion.sample_interval = 1.0;
  cloth.pins[0].motion.samples.push_back(cloth.pins[0].motion.samples[0] + Vec3(0.2, 0.3, -0.1));
  const Model model = build_model(cloth);
  for (const StepMethod which :
       {StepMethod::kPrefactored, StepMethod::kPredictor, StepMethod::kDescent, StepMethod::kExplicit}) {
    const SimulatorOptions options = rounds_of(which, 4, 1.0 / 960);
    const Motion motion = run(model, options, {x, VecX::Zero(x.size())}, 60);
    ASSERT_EQ(motion.unconverged(), 0);
    for (size_t n = 1; n < motion.states.size(); ++n) {
      const State& s = motion.states[n];
      EXPECT_LE((at(s.x, 0) - cloth.pins[0].motion.position(0, n / 960.0)).norm(), 1e-14);
      EXPECT_LE((at(s.x, 6) - at(x, 6)).cross(along).norm(), 1e-14);
      EXPECT_LE(std::abs((at(s.x, 42) - at(x, 42)).dot(normal)), 1e-14);
      EXPECT_LE((at(s.v, 0) - Vec3(0.2, 0.3, -0.1)).norm(), 1e-10);
    }
    EXPECT_GT((at(motion.back().x, 6) - at(x, 6)).norm(), 1e-4);
  }
}

// Nothing would keep cloth on its side of anything.
TEST(PinnedRounds, KnowNeitherBarriersNorStrainLimits) {
  ClothDescription limited = cloth_of(square(2, 0.2), cotton(), Vec3(0, 0, 0)), touching = limited;
  limited.material.strain_limit = 0.1;
  touching.contact.self = true;
  for (const ClothDescription* cloth : {&limited, &touching}) {
    const Model model = build_model(*cloth);
    for (const StepMethod which :
         {StepMethod::kPrefactored, StepMethod::kPredictor, StepMethod::kDescent, StepMethod::kExplicit})
      EXPECT_THROW(Simulator(model, rounds_of(which)), InputError);
  }
}

}  // namespace
}  // namespace keydrape
