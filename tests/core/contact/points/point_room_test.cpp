// Sample points that are out of a body's reach: none is passed over that is not, and most are that are.

#include "core/contact/points/point_room.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "core/contact/body/level_set/mesh_level_set.h"
#include "core/contact/body/shape/rounded_box.h"
#include "core/contact/body/shape/sphere.h"
#include "tests/support/bodies.h"
#include "tests/support/meshes.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kRoomRadius = 0.2, kLevel = 0.01, kSide = 1.0, kSpacing = 0.02;  // [m]
constexpr int kCells = 6;  // along a side: triangles nearly as large as the bodies

// A sheet over each body, `height` above its middle, and its sample points.
class PointRoomTest : public testing::Test {
 protected:
  PointRoomTest() {
    const TriangleMesh ball = sphere_mesh(kRoomRadius, 3);
    fields_.push_back(std::make_unique<Sphere>(Vec3::Zero(), kRoomRadius));
    fields_.push_back(std::make_unique<RoundedBox>(
        BoundingBox{Vec3::Constant(-kRoomRadius), Vec3::Constant(kRoomRadius)}, 0.02));
    fields_.push_back(mesh_level_set(ball.positions, ball.triangles, {0.02, 0.03}).field);
    for (const auto& field : fields_) poses_.emplace_back(*field, RigidPose{});
    const TriangleMesh sheet = square(kCells, kSide);
    points_ = sample_points(sheet.positions, sheet.triangles, kSpacing);
    patches_ = point_patches(points_);
    flat_ = stacked(sheet.positions);
  }

  VecX above(double height) const {
    VecX y = flat_;
    for (Eigen::Index i = 0; i < y.size(); i += 3) y.segment<3>(i) += Vec3(-kSide / 2, -kSide / 2, height);
    return y;
  }
  // Every vertex goes up to `most` in each direction.
  VecX shaken(const VecX& y, double most) {
    std::uniform_real_distribution<double> way(-most, most);
    return y + VecX(VecX::NullaryExpr(y.size(), [&] { return way(random_); }));
  }
  int patch_count() const { return static_cast<int>(patches_.size()); }

  std::vector<std::unique_ptr<const DistanceField>> fields_;
  std::vector<ColliderPose> poses_;
  std::vector<SamplePoint> points_;
  std::vector<PointPatch> patches_;
  VecX flat_;
  std::mt19937_64 random_{7};
};

TEST_F(PointRoomTest, PatchesArePointsOfTheSameVerticesOnceEach) {
  // 49 vertices, 120 edges with points, 72 triangles with points.
  EXPECT_EQ(patches_.size(), 49u + 120u + 72u);
  int next = 0;
  for (const auto& [first, end] : patches_) {
    EXPECT_EQ(first, next);
    ASSERT_LT(first, end);
    for (int i = first; i < end; ++i) EXPECT_EQ(points_[i].vertices, points_[first].vertices);
    next = end;
  }
  EXPECT_EQ(next, static_cast<int>(points_.size()));
}

TEST_F(PointRoomTest, NoPointWithinReachIsPassedOver) {
  int within = 0, passed = 0;
  for (const ColliderPose& pose : poses_)
    for (const double height : {0.0, 0.205, 0.22, 0.3})
      for (const double most : {0.0, 1e-3, 0.02, 0.1, 0.4}) {
        const VecX y = above(height), later = shaken(y, most);
        const PointRoom room(points_, patches_, pose, kLevel, y);
        for (int k = 0; k < patch_count(); ++k) {
          std::set<int> near;
          room.for_each_near(k, later, [&](int i, const Vec3& p) {
            EXPECT_EQ(p, points_[i].position(later));
            near.insert(i);
          });
          for (int i = patches_[k].first; i < patches_[k].end; ++i) {
            if (near.count(i) == 1) continue;
            ++passed;
            EXPECT_GT(pose.distance(points_[i].position(later)), kLevel) << i << " " << height << " " << most;
          }
          within += static_cast<int>(near.size());
        }
      }
  EXPECT_GT(within, 1000);
  EXPECT_GT(passed, 1000);
}

TEST_F(PointRoomTest, NorOneThatComesWithinReachOnItsWay) {
  constexpr int kLooks = 20;
  int passed = 0;
  for (const ColliderPose& pose : poses_)
    for (const double most : {1e-3, 0.05, 0.6}) {
      const VecX start = above(0.3), y = shaken(start, 0.01), dy = shaken(VecX::Zero(y.size()), most);
      const PointRoom room(points_, patches_, pose, kLevel, start);
      for (int k = 0; k < patch_count(); ++k) {
        std::set<int> near;
        room.for_each_near_on_way(k, y, dy, [&](int i, const Vec3&, const Vec3&) { near.insert(i); });
        for (int i = patches_[k].first; i < patches_[k].end; ++i) {
          if (near.count(i) == 1) continue;
          ++passed;
          for (int look = 0; look <= kLooks; ++look) {
            const Vec3 p = points_[i].position(y) + look / double(kLooks) * points_[i].position(dy);
            ASSERT_GT(pose.distance(p), kLevel) << i << " " << most;
          }
        }
      }
    }
  EXPECT_GT(passed, 1000);
}

TEST_F(PointRoomTest, ClothFarAwayIsNotLookedAt) {
  for (const ColliderPose& pose : poses_) {
    const VecX y = above(1.0), later = shaken(y, 0.05);
    const PointRoom room(points_, patches_, pose, kLevel, y);
    int near = 0;
    for (int k = 0; k < patch_count(); ++k) {
      room.for_each_near(k, later, [&](int, const Vec3&) { ++near; });
      room.for_each_near_on_way(k, y, later - y, [&](int, const Vec3&, const Vec3&) { ++near; });
    }
    EXPECT_EQ(near, 0);
  }
}

// A triangle over the body that its own ball cannot hold: its far points have balls of their own.
TEST_F(PointRoomTest, FarPointsOfNearTrianglesArePassedOver) {
  for (const ColliderPose& pose : poses_) {
    const VecX y = above(kRoomRadius + 1.1 * kLevel), later = shaken(y, 1e-4);
    const PointRoom room(points_, patches_, pose, kLevel, y);
    int near = 0;
    for (int k = 0; k < patch_count(); ++k) room.for_each_near(k, later, [&](int, const Vec3&) { ++near; });
    EXPECT_LT(near, 0.4 * static_cast<double>(points_.size()));
  }
}

}  // namespace
}  // namespace keydrape
