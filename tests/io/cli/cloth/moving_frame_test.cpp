// [moving_frame]: cloth that is worn by something fast.

#include "io/shot/moving_frame.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <functional>
#include <utility>

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

// A body far away, and pins, that go along with a motion of samples, one a frame.
class CliCarriedClothTest : public SimulatedScene {
 protected:
  using Pose = std::function<Vec3(int sample, const Vec3& p)>;

  void write_moved(const std::string& name, const std::vector<Vec3>& points, const Pose& pose) {
    NpyArray moved{{kFrames, static_cast<std::int64_t>(points.size()), 3}, VecX(3 * kFrames * points.size())};
    Eigen::Index at = 0;
    for (int k = 0; k < kFrames; ++k)
      for (const Vec3& p : points) moved.values.segment<3>(std::exchange(at, at + 3)) = pose(k, p);
    write_npy(folder_ / name, moved);
  }
  void write_motion(const Pose& pose) {
    const std::vector<Vec3> body = {Vec3(9, 0, 0), Vec3(10, 0, 0), Vec3(9, 1, 0), Vec3(9, 0, 1)};
    write_moved("body.npy", body, pose);
    write_moved("pins.npy", {Vec3(0, 0, 0), Vec3(0.25, 0, 0)}, pose);
    folder_.write("body.obj", "v 9 0 0\nv 10 0 0\nv 9 1 0\nv 9 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  }
  // How far cloth that swings ends from where it ends without the motion, moved [m].
  double distance_from_still(const Pose& pose) {
    write_motion(pose);
    folder_.write("swings.obj", sheet([](double&, double& y, double& z) { z = -0.2 * y; }));
    const std::string scene =
        shot_text() + "initial = \"swings.obj\"\n[solver]\nnewton_tolerance = 1e-12\n" + kPins;
    const VecX still = end_of(scene), moved = end_of(scene + kMoves);
    double most = 0.0;
    for (Eigen::Index i = 0; i < still.size(); i += 3) {
      const Vec3 expected = pose(kFrames - 1, still.segment<3>(i));
      most = std::max(most, (moved.segment<3>(i) - expected).norm());
    }
    return most;
  }

  const std::string kPins = "[[pin]]\nvertices = [0, 5]\n";
  const std::string kMoves =  // behind kPins
      "motion = \"pins.npy\"\n[moving_frame]\ncollider = 0\n"
      "[[collider]]\nmesh = \"body.obj\"\nmotion = \"body.npy\"\nas = \"surface\"\n";
};

constexpr double kToAndFro[] = {0.0, 0.1, -0.05, 0.1, 0.05, -0.1};
Vec3 to_and_fro(int k, const Vec3& p) { return p + kToAndFro[k] * Vec3(1, -0.5, 2); }

TEST_F(CliCarriedClothTest, IsThatOfTheFrameAtRestWhereBodyAndPinsAreShifted) {
  EXPECT_LT(distance_from_still(to_and_fro), 1e-8);
}

// Pins cut across where the frame goes round: by so much, at each frame anew, which the cloth feels as kicks.
TEST_F(CliCarriedClothTest, IsSoToTheCutAcrossWhereTheyTurn) {
  const auto angle = [](int k) { return 0.1 * kToAndFro[k]; };
  const Pose pose = [&](int k, const Vec3& p) -> Vec3 {
    return Eigen::AngleAxisd(angle(k), Vec3::UnitY()) * p;
  };
  const double largest_turn = angle(1) - angle(2), cut = 0.25 * largest_turn * largest_turn / 8.0;
  EXPECT_LT(distance_from_still(pose), 20.0 * cut);
}

// Cloth that is carried along has come to where a pin takes hold, by a jolt that its speed did not tell.
TEST_F(CliCarriedClothTest, IsCaughtInAJoltWithoutAWarning) {
  write_motion(to_and_fro);
  const std::string shot = "[shot]\nframes = \"1001-1006\"\nsubsteps = 1\ngravity = [0, 0, 0]\n";
  folder_.write("scene.toml",
                shot + "[cloth]\nrest = \"rest.obj\"\n" + kPins + "frames = \"1004-1006\"\n" + kMoves);
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_FALSE(says(result.err, {"jumps there"})) << result.err;
}

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
