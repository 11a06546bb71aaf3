#include "io/shot/body/body_motion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "io/shot/body/level_set.h"

namespace keydrape {
namespace {

constexpr double kDegrees = std::numbers::pi / 180;
const ShotClock kClock{{1, 5}, 24.0, 2};

scene::Collider turning(std::vector<std::pair<double, Vec3>> keys) {
  scene::Collider collider;
  collider.rotate.keys = std::move(keys);
  return collider;
}

// Beyond half a turn a frame the shorter way round would be backwards, or none.
TEST(BodyMotionTest, TurnsHoweverFarInAFrame) {
  for (const double per_frame : {30.0, 180.0, 260.0, 360.0, 1000.0})
    for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}) {
      const RigidMotion motion =
          make_rigid_motion(turning({{1, Vec3::Zero()}, {5, 4 * per_frame * axis}}), kClock, Vec3(1, 2, 3));
      for (int i = 0; i <= 16; ++i) {
        const double frames = i / 4.0, angle = frames * per_frame * kDegrees;
        const RigidPose pose = motion.pose(frames / kClock.fps);
        EXPECT_LT((pose.rotation - Eigen::AngleAxisd(angle, axis).toRotationMatrix()).norm(), 1e-9)
            << per_frame;
        EXPECT_LT(
            (motion.velocity(frames / kClock.fps).angular - per_frame * kDegrees * kClock.fps * axis).norm(),
            1e-6 * per_frame);
      }
      EXPECT_LT((motion.pose(0.1).to_world(Vec3(1, 2, 3)) - Vec3(1, 2, 3)).norm(), 1e-14) << per_frame;
    }
}

TEST(BodyMotionTest, KeysWithinAFrameCount) {
  const RigidMotion motion = make_rigid_motion(
      turning({{1, Vec3::Zero()}, {1.5, Vec3(0, 300, 0)}, {2, Vec3::Zero()}}), kClock, Vec3::Zero());
  const RigidPose pose = motion.pose(0.5 / kClock.fps);
  EXPECT_LT((pose.rotation - Eigen::AngleAxisd(300 * kDegrees, Vec3::UnitY()).toRotationMatrix()).norm(),
            1e-9);
  scene::Collider hit;
  hit.translate.keys = {{2, Vec3::Zero()}, {2.5, Vec3(0, 0, 0.1)}, {3, Vec3::Zero()}};
  const RigidMotion there_and_back = make_rigid_motion(hit, kClock, Vec3::Zero());
  EXPECT_NEAR(there_and_back.pose(1.5 / kClock.fps).translation.z(), 0.1, 1e-15);
}

// Where turns cut frames into as many parts, at thirds and fifths, both are one key, whatever rounding says.
TEST(BodyMotionTest, KeysOfACutFrameAreNoTwo) {
  for (const int first : {1, 1001})
    for (const int parts : {3, 5})
      for (int k = 1; k < parts; ++k) {
        const ShotClock clock{{first, first + 11}, 24.0, 2};
        const double at = first + 6 + static_cast<double>(k) / parts, angle = 29.0 * parts * (at - first);
        const RigidMotion motion = make_rigid_motion(
            turning({{first, Vec3::Zero()}, {at, Vec3(0, angle, 0)}, {first + 11, Vec3(0, angle, 0)}}), clock,
            Vec3::Zero());
        for (int i = 0; i < 1100; ++i) {
          const RigidVelocity velocity = motion.velocity(0.01 * i / clock.fps);
          EXPECT_LT(velocity.angular.norm(), 2 * 29.0 * parts * clock.fps * kDegrees) << i;
          EXPECT_TRUE(velocity.linear.isZero(1e-9)) << i;
        }
        EXPECT_LT((motion.pose(8 / clock.fps).rotation -
                   Eigen::AngleAxisd(angle * kDegrees, Vec3::UnitY()).toRotationMatrix())
                      .norm(),
                  1e-9);
      }
}

TEST(BodyMotionTest, TurnsBeyondAnyUseAreRefused) {
  EXPECT_THROW(make_rigid_motion(turning({{1, Vec3::Zero()}, {2, Vec3(0, 1e9, 0)}}), kClock, Vec3::Zero()),
               InputError);
}

// Its voxel and its pivot follow this box.
TEST(BodyMotionTest, LooseVerticesAreNoPartOfABody) {
  TriangleMesh mesh;
  mesh.positions = {{0, 0, 0}, {64, 0, 0}, {0, 1, 0}, {0, 60, 700}};
  mesh.triangles = {{0, 1, 2}};
  EXPECT_EQ(bounding_box(mesh).high, Vec3(64, 1, 0));
  EXPECT_EQ(level_set_options({}, mesh, {{0.1, 0.1}, 1.0}).voxel, 1.0);
}

}  // namespace
}  // namespace keydrape
