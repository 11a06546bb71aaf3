// [moving_frame]: cloth that is worn by something fast.

#include "io/shot/moving_frame.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "tests/support/simulated_scene.h"

namespace keydrape {
namespace {

TEST(NearestRigidMotion, IsTheMotionOfWhatIsRigid) {
  VecX first(12);
  first << 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3;
  std::vector<VecX> samples;
  const auto turn = [](int k) { return Eigen::AngleAxisd(0.7 * k, Vec3(1, 2, -1).normalized()); };
  const auto way = [](int k) { return Vec3(0.1 * k, -k, 0.5 * k); };
  for (int k = 0; k < 4; ++k) {
    VecX moved(12);
    for (int i = 0; i < 4; ++i) moved.segment<3>(3 * i) = turn(k) * first.segment<3>(3 * i) + way(k);
    samples.push_back(moved);
  }
  const RigidMotion motion = nearest_rigid_motion(samples, 0.25);
  for (int k = 0; k < 4; ++k) {
    EXPECT_LT((motion.pose(0.25 * k).rotation - turn(k).toRotationMatrix()).norm(), 1e-13);
    EXPECT_LT((motion.pose(0.25 * k).translation - way(k)).norm(), 1e-13);
  }
}

class CliMovingFrameTest : public SimulatedScene {
 protected:
  // Of cloth that nothing holds, without weight.
  VecX end(const std::string& tables) { return end_of(shot_text("gravity = [0, 0, 0]\n") + tables); }
  std::string refusal(const std::string& tables) { return refusal_of(shot_text() + tables); }
};

const std::string kFarBall =
    "[[collider]]\nsphere = {center = [9, 9, 9], radius = 0.1}\n"
    "translate = [[1001, [0, 0, 0]], [1006, [0.5, 0.2, 0]]]\n";

TEST_F(CliMovingFrameTest, CarriesClothAsFarAsItSays) {
  const VecX still = end("");
  const auto moved = [&](const std::string& tables) {
    const VecX way = end(tables) - still;
    EXPECT_LT((way - way.head<3>().replicate(way.size() / 3, 1)).norm(), 1e-9);
    return Vec3(way.head<3>());
  };
  const std::string own = "[moving_frame]\ntranslate = [[1001, [0, 0, 0]], [1006, [0.5, 0.2, 0]]]\n";
  EXPECT_LT((moved(own) - Vec3(0.5, 0.2, 0)).norm(), 1e-9);
  EXPECT_LT((moved(own + "inertia = 0.5\n") - Vec3(0.25, 0.1, 0)).norm(), 1e-9);
  EXPECT_LT((moved(kFarBall + "[moving_frame]\ncollider = 0\n") - Vec3(0.5, 0.2, 0)).norm(), 1e-9);
}

TEST_F(CliMovingFrameTest, WarnsOfPinsThatStayBehind) {
  const auto told = [&](const std::string& tables) {
    folder_.write("scene.toml", shot_text() + tables);
    return run({"simulate", "scene.toml", "-o", "out", "--force"}).err;
  };
  const std::string frame = "[moving_frame]\ntranslate = [[1001, [0, 0, 0]], [1006, [0.01, 0, 0]]]\n";
  EXPECT_TRUE(says(told(pin_text() + frame), {"warning: scene.toml:", "[moving_frame]", "[[pin]] of line",
                                              "torn between both", "inertia = 0"}));
  EXPECT_FALSE(says(told(frame), {"torn"}));
  EXPECT_FALSE(says(told(pin_text() + frame + "inertia = 0\n"), {"torn"}));
}

TEST_F(CliMovingFrameTest, RefusesColliderThatIsNotThereOrStands) {
  EXPECT_TRUE(says(refusal(kFarBall + "[moving_frame]\ncollider = 1\n"),
                   {"scene.toml:9:1", "[moving_frame] collider: found 1", "one of 1 colliders"}));
  EXPECT_TRUE(says(refusal("[[collider]]\nplane = {point = [0, -9, 0], normal = [0, 1, 0]}\n"
                           "[moving_frame]\ncollider = 0\n"),
                   {"[moving_frame] collider: found 0", "one that moves"}));
}

}  // namespace
}  // namespace keydrape
