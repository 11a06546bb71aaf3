// Cloth in a frame that moves: with all of its motion it lives as where the frame stands still (V1) to (V4).

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "core/step/drape.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kFrameStep = 1.0 / 96;
constexpr int kFrameSteps = 40;

// To and fro, another way every four steps.
constexpr int kStepsBetweenKeys = 4;
RigidMotion jolting(bool turns, RigidPath path = RigidPath::kSmooth) {
  std::vector<RigidKey> keys;
  for (int k = 0; k <= 10; ++k) {
    const double angle = turns ? 0.9 * std::sin(1.7 * k) : 0.0;
    keys.push_back({kStepsBetweenKeys * k * kFrameStep,
                    Vec3(0.4 * std::sin(1.3 * k), 0.1 * (k % 3), -0.2 * std::sin(0.8 * k)),
                    Eigen::Quaterniond(Eigen::AngleAxisd(angle, Vec3::UnitY()))});
  }
  return RigidMotion(keys, Vec3::Zero(), path);
}

// From where something fixed to the frame is at time 0 to where it is then.
Vec3 carried(const RigidMotion& motion, double time, const Vec3& p) {
  return motion.pose(time).to_world(motion.pose(0.0).to_body(p));
}
VecX carried(const RigidMotion& motion, double time, const VecX& x) {
  VecX moved(x.size());
  for (Eigen::Index i = 0; i < x.size(); i += 3)
    moved.segment<3>(i) = carried(motion, time, Vec3(x.segment<3>(i)));
  return moved;
}

// A sheet that hangs by two corners and swings. Samples of its pins are so many steps apart.
ClothDescription swinging(const RigidMotion* pins_follow, int sample_steps = 1) {
  ClothDescription cloth = cloth_of(square(7, 0.4), cotton(0.01), Vec3(0, -9.81, 0));
  cloth.material.bend = 1e-2;  // or folds are chance
  for (Vec3& p : cloth.mesh.positions) p = Vec3(p.x(), 0.05 * std::sin(9 * p.x()), p.y());
  HardPin pin = held(stacked(cloth.mesh.positions), {0, 7});
  if (pins_follow) {
    const VecX corners = pin.motion.samples[0];
    pin.motion.sample_interval = sample_steps * kFrameStep;
    for (int n = sample_steps; n <= kFrameSteps; n += sample_steps)
      pin.motion.samples.push_back(carried(*pins_follow, n * kFrameStep, corners));
  }
  cloth.pins = {pin};
  return cloth;
}

Motion run_of(const ClothDescription& cloth, StepMethod method) {
  const Model model = build_model(cloth);
  const VecX x = stacked(cloth.mesh.positions);
  SimulatorOptions options = options_of(kFrameStep, 1e-11);
  options.method = method;
  return run(model, options, {x, VecX::Zero(x.size())}, kFrameSteps);
}

// How far the run in the frame is from the one where nothing moves, as seen from the frame [m].
double distance_in_frame(const Motion& moving, const Motion& still, const RigidMotion& motion) {
  double most = 0.0;
  for (size_t n = 0; n < still.states.size(); ++n) {
    const VecX seen = carried(motion, static_cast<double>(n) * kFrameStep, still.states[n].x);
    most = std::max(most, (moving.states[n].x - seen).lpNorm<Eigen::Infinity>());
  }
  return most;
}

// Linearised steps do so where the frame does not turn: they are linearised where the cloth was.
TEST(MovingFrame, ClothInItLivesAsWhereItStandsStill) {
  for (const StepMethod method : {StepMethod::kConverged, StepMethod::kBdf2, StepMethod::kLinearized})
    for (const bool turns : {false, true}) {
      if (turns && method == StepMethod::kLinearized) continue;
      SCOPED_TRACE(testing::Message() << "method " << static_cast<int>(method) << ", turns " << turns);
      const RigidMotion motion = jolting(turns);
      ClothDescription cloth = swinging(&motion);
      const Motion felt = run_of(cloth, method), still = run_of(swinging(nullptr), method);
      cloth.frame = MovingFrame{motion};
      const Motion moving = run_of(cloth, method);
      EXPECT_LT(distance_in_frame(moving, still, motion), 1e-9);
      EXPECT_GT(distance_in_frame(felt, still, motion), 0.05) << "the motion must matter";
    }
}

// Pins of a cache know the frame at samples alone, several steps apart.
TEST(MovingFrame, GoesStraightAsPinsDoBetweenSamples) {
  for (const StepMethod method : {StepMethod::kConverged, StepMethod::kBdf2, StepMethod::kLinearized}) {
    SCOPED_TRACE(testing::Message() << "method " << static_cast<int>(method));
    const RigidMotion straight = jolting(false, RigidPath::kStraight), smooth = jolting(false);
    ClothDescription cloth = swinging(&straight, kStepsBetweenKeys);
    const Motion still = run_of(swinging(nullptr), method);
    cloth.frame = MovingFrame{straight};
    EXPECT_LT(distance_in_frame(run_of(cloth, method), still, straight), 1e-9);
    cloth.frame = MovingFrame{smooth};
    EXPECT_GT(distance_in_frame(run_of(cloth, method), still, straight), 1e-3) << "the way must matter";
  }
}

// Only of a frame that does not turn: wind blows along directions of the world, as cloth is when it is taken.
TEST(MovingFrame, CarriesTheAirAlong) {
  for (const StepMethod method : {StepMethod::kConverged, StepMethod::kBdf2}) {
    const RigidMotion motion = jolting(false);
    ClothDescription cloth = swinging(&motion), at_rest = swinging(nullptr);
    cloth.wind = at_rest.wind = Wind::Shared{Vec3(2, 0, 1), 1.2, 1.0, 0.3};
    cloth.frame = MovingFrame{motion};
    const Motion still = run_of(at_rest, method);
    EXPECT_LT(distance_in_frame(run_of(cloth, method), still, motion), 1e-9);
    cloth.frame->air = 0.0;
    EXPECT_GT(distance_in_frame(run_of(cloth, method), still, motion), 1e-3);
  }
}

TEST(MovingFrame, ANilShareChangesNothing) {
  const RigidMotion motion = jolting(true);
  ClothDescription cloth = swinging(&motion);
  cloth.wind = Wind::Shared{Vec3(2, 0, 1), 1.2, 1.0, 0.3};
  const Motion without = run_of(cloth, StepMethod::kConverged);
  cloth.frame = MovingFrame{motion, 0.0, 0.0};
  EXPECT_EQ(run_of(cloth, StepMethod::kConverged).back().x, without.back().x);
}

// Half the share: half the acceleration is felt, of a vertex that nothing holds.
TEST(MovingFrame, AShareIsAShare) {
  const RigidMotion motion = jolting(false);
  ClothDescription cloth = cloth_of(square(3, 0.1), cotton(), Vec3::Zero());
  cloth.frame = MovingFrame{motion, 0.5, 0.0};
  const Motion moving = run_of(cloth, StepMethod::kConverged);
  for (int n = 0; n <= kFrameSteps; ++n) {
    const Vec3 way = at(moving.states[n].x, 4) - cloth.mesh.positions[4];
    const Vec3 origin = Vec3::Zero(), frame = carried(motion, n * kFrameStep, origin);
    EXPECT_LT((way - 0.5 * frame).norm(), 1e-9) << n;
  }
}

TEST(MovingFrame, StandsStillWhereClothComesToRest) {
  const RigidMotion motion = jolting(true);
  ClothDescription cloth = swinging(nullptr);
  const VecX start = stacked(cloth.mesh.positions);
  DrapeOptions options;
  options.time = 8 * kFrameStep;
  options.sliding_time = kFrameStep;
  const DrapeResult without = drape(build_model(cloth), start, options);
  cloth.frame = MovingFrame{motion};
  EXPECT_EQ(drape(build_model(cloth), start, options).x, without.x);
}

}  // namespace
}  // namespace keydrape
