#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "core/base/error.h"
#include "core/contact/body/collider.h"
#include "core/contact/body/rigid_way.h"
#include "core/contact/body/shape/half_space.h"
#include "core/contact/body/shape/rounded_box.h"
#include "core/contact/body/shape/sphere.h"
#include "tests/support/bodies.h"

// Bodies through time: paths with continuous velocities, poses whose derivatives are those of the world,
// bounds on what may move into resting cloth.

namespace keydrape {
namespace {

using Eigen::AngleAxisd;
using Eigen::Quaterniond;

// Uneven keys, turning about changing axes.
std::vector<RigidKey> wild_keys() {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  std::vector<RigidKey> keys;
  double time = 0.1;
  for (int k = 0; k < 7; ++k) {
    const Vec3 axis = Vec3(unit(random), unit(random), unit(random)).normalized();
    keys.push_back({time, Vec3(unit(random), unit(random), unit(random)),
                    Quaterniond(AngleAxisd(1.2 * unit(random), axis))});
    if (k % 2 == 1) keys.back().rotation.coeffs() *= -3.0;  // the same rotation
    time += 0.2 + 0.15 * unit(random);
  }
  return keys;
}

TEST(RigidMotion, PassesThroughItsKeys) {
  const std::vector<RigidKey> keys = wild_keys();
  const RigidMotion motion(keys);
  for (const RigidKey& key : keys) {
    const RigidPose pose = motion.pose(key.time);
    EXPECT_LT((pose.translation - key.position).norm(), 1e-12);
    EXPECT_LT((pose.rotation - key.rotation.normalized().toRotationMatrix()).norm(), 1e-12);
  }
  EXPECT_LT((motion.pose(-5).translation - keys.front().position).norm(), 1e-15);
  EXPECT_LT((motion.pose(50).translation - keys.back().position).norm(), 1e-15);
  EXPECT_EQ(motion.velocity(50).linear, Vec3::Zero());
}

TEST(RigidMotion, VelocityIsTheDerivativeAndContinuous) {
  const std::vector<RigidKey> keys = wild_keys();
  const RigidMotion motion(keys);
  const Vec3 body(0.3, -0.2, 0.5);
  const auto velocity = [&](double t) {
    const RigidVelocity v = motion.velocity(t);
    return Vec3(v.linear + v.angular.cross(motion.pose(t).rotation * body));
  };
  const double e = 1e-5;
  for (int i = 1; i < 200; ++i) {
    const double t = keys.front().time + (keys.back().time - keys.front().time) * i / 200.0;
    const Vec3 difference = (motion.pose(t + e).to_world(body) - motion.pose(t - e).to_world(body)) / (2 * e);
    EXPECT_LT((difference - velocity(t)).norm(), 1e-3) << t;
  }
  for (std::size_t k = 1; k + 1 < keys.size(); ++k)
    EXPECT_LT((velocity(keys[k].time + 1e-9) - velocity(keys[k].time - 1e-9)).norm(), 1e-6);
}

// What stands does not start the other way, what stops or turns back does not go on, in any direction.
TEST(RigidMotion, GoesNoFartherThanItsKeys) {
  const Vec3 along = Vec3(1, -2, 2) / 3;
  for (const std::vector<double>& places :
       {std::vector<double>{0, 0, 0, 1, 2}, {0, 1, 2, 2, 2}, {0, 3, 2, 1, 0.9}, {0, 0.01, 5, 5.01, 4}}) {
    std::vector<RigidKey> keys;
    for (std::size_t k = 0; k < places.size(); ++k)
      keys.push_back(
          {0.1 * static_cast<double>(k), places[k] * along, Quaterniond(AngleAxisd(0.3 * places[k], along))});
    const RigidMotion motion(keys);
    for (int i = 0; i <= 160; ++i) {
      const std::size_t k = std::min(i / 40, 3);
      const RigidPose pose = motion.pose(0.1 * i / 40);
      const auto [least, most] = std::minmax(places[k], places[k + 1]);
      const double place = pose.translation.dot(along);
      EXPECT_LE((pose.translation - place * along).norm(), 1e-12);
      EXPECT_GE(place, least - 1e-12) << i;
      EXPECT_LE(place, most + 1e-12) << i;
      const double turn = AngleAxisd(pose.rotation).angle();
      EXPECT_GE(turn, 0.3 * least - 1e-7) << i;
      EXPECT_LE(turn, 0.3 * most + 1e-7) << i;
    }
  }
}

// However far from the origin, and however uneven the turn.
TEST(RigidMotion, TurnsAboutItsMiddle) {
  const Vec3 middle(10, -20, 3);
  std::vector<RigidKey> keys;
  for (int k = 0; k <= 5; ++k)
    keys.push_back({0.1 * k, middle, Quaterniond(AngleAxisd(0.1 * k * k, Vec3::UnitY()))});
  const RigidMotion motion(keys, middle);
  for (int i = -5; i <= 60; ++i) {
    const double t = 0.01 * i + 0.003;
    EXPECT_LE((motion.pose(t).to_world(middle) - middle).norm(), 1e-13) << t;
    const RigidVelocity v = motion.velocity(t);
    EXPECT_LE((v.linear + v.angular.cross(motion.pose(t).rotation * middle)).norm(), 1e-12) << t;
  }
  const BoundingBox ball{middle - Vec3::Ones(), middle + Vec3::Ones()};
  EXPECT_LT(motion.travel_bound(0.0, 0.5, ball), 10.0);  // of the middle 0, of the box 2.5 times its reach
}

TEST(RigidMotion, ConstantMotionIsExact) {
  const Vec3 axis = Vec3(1, -2, 0.5).normalized(), v(1, 2, 3);
  const double rate = 3.0;  // [rad/s]
  std::vector<RigidKey> keys;
  for (int k = 0; k <= 10; ++k)
    keys.push_back({0.1 * k, 0.1 * k * v, Quaterniond(AngleAxisd(0.1 * k * rate, axis))});
  const RigidMotion motion(keys);
  for (double t = 0.013; t < 1; t += 0.0371) {
    EXPECT_LT((motion.pose(t).translation - t * v).norm(), 1e-12);
    EXPECT_LT((motion.pose(t).rotation - AngleAxisd(t * rate, axis).toRotationMatrix()).norm(), 1e-12);
    EXPECT_LT((motion.velocity(t).angular - rate * axis).norm(), 1e-11);
    EXPECT_LT((motion.velocity(t).linear - v).norm(), 1e-11);
  }
}

// As a line is, and a turn about one axis; with the velocity of each interval.
TEST(RigidMotion, StraightPathsGoEvenlyFromKeyToKey) {
  const std::vector<RigidKey> keys = wild_keys();
  const Vec3 middle(0.3, -0.2, 0.5);
  const RigidMotion motion(keys, middle, RigidPath::kStraight);
  for (std::size_t k = 0; k + 1 < keys.size(); ++k) {
    const RigidKey &from = keys[k], &to = keys[k + 1];
    const double T = to.time - from.time;
    const Quaterniond q0 = from.rotation.normalized(), q1 = to.rotation.normalized();
    const AngleAxisd turn(q1 * q0.conjugate());
    const Vec3 linear = (to.position - from.position) / T;
    for (const double s : {0.0, 0.1, 0.5, 0.9}) {
      const double t = from.time + s * T;
      const RigidPose pose = motion.pose(t);
      EXPECT_LT((pose.to_world(middle) - from.position - s * T * linear).norm(), 1e-12) << k << " " << s;
      EXPECT_LT((pose.rotation - q0.slerp(s, q1).toRotationMatrix()).norm(), 1e-12) << k << " " << s;
      const RigidVelocity v = motion.velocity(t);
      EXPECT_LT((v.angular - turn.angle() / T * turn.axis()).norm(), 1e-11) << k << " " << s;
      EXPECT_LT((v.linear + v.angular.cross(pose.rotation * middle) - linear).norm(), 1e-11) << k << " " << s;
    }
  }
  EXPECT_LT((motion.pose(50).to_world(middle) - keys.back().position).norm(), 1e-12);
}

// No distance changes by more than the bound, and the bound is not idle.
TEST(RigidCollider, TravelBoundHolds) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const BoundingBox region{Vec3(-1, -1, -1), Vec3(1, 1, 1)};
  std::vector<std::unique_ptr<RigidCollider>> colliders;
  colliders.push_back(std::make_unique<RigidCollider>(
      std::make_unique<RoundedBox>(BoundingBox{Vec3(-0.5, -0.1, -0.2), Vec3(0.5, 0.1, 0.2)}, 0.03),
      RigidMotion(wild_keys())));
  colliders.push_back(std::make_unique<RigidCollider>(
      std::make_unique<HalfSpace>(Vec3::Zero(), Vec3::UnitY()), RigidMotion(wild_keys())));
  double tightest = 0;
  for (const auto& collider : colliders)
    for (int i = 0; i < 200; ++i) {
      const double t0 = 0.7 + 0.7 * unit(random), t1 = t0 + 0.1 * (1 + unit(random));
      const double bound = collider->travel_bound(t0, t1, region);
      const ColliderPose before = collider->at(t0), after = collider->at(t1);
      double largest = 0;
      for (int k = 0; k < 50; ++k) {
        const Vec3 p(unit(random), unit(random), unit(random));
        largest = std::max(largest, std::abs(after.distance(p) - before.distance(p)));
      }
      EXPECT_LE(largest, bound);
      tightest = std::max(tightest, largest / bound);
    }
  EXPECT_GT(tightest, 0.3);
  EXPECT_EQ(RigidCollider(std::make_unique<Sphere>(Vec3::Zero(), 1.0)).travel_bound(0, 9, region), 0);
}

TEST(ColliderPose, DerivativesAreThoseOfTheWorld) {
  const RigidCollider collider(
      std::make_unique<RoundedBox>(BoundingBox{Vec3(-0.5, -0.1, -0.2), Vec3(0.5, 0.1, 0.2)}, 0.05),
      RigidMotion(wild_keys()));
  const ColliderPose pose = collider.at(0.63);
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const double e = 1e-5;
  for (int i = 0; i < 300; ++i) {
    const Vec3 p(unit(random), unit(random), unit(random)),
        d = Vec3(unit(random), unit(random), unit(random));
    if (pose.distance(p) < 0) continue;
    const DistanceSample s = pose.sample(p);
    EXPECT_NEAR((pose.distance(p + e * d) - pose.distance(p - e * d)) / (2 * e), s.gradient.dot(d), 1e-7);
    const Vec3 change = (pose.sample(p + e * d).gradient - pose.sample(p - e * d).gradient) / (2 * e);
    EXPECT_LT((change - s.hessian * d).norm(), 1e-5 * (1 + s.hessian.norm()));
    const BoundingBox box = pose.bounds();
    if (((p - box.low).array() < 0).any()) {
      EXPECT_GT(pose.distance(p), 0);
    }
  }
}

// A sphere that grows and moves, by samples 0.1 s apart.
MotionTrack swelling(const TriangleMesh& mesh) {
  MotionTrack motion{{}, 0.1};
  for (int k = 0; k < 5; ++k) {
    VecX x(3 * mesh.vertex_count());
    for (int i = 0; i < mesh.vertex_count(); ++i)
      x.segment<3>(3 * i) = (1 + 0.2 * k) * mesh.positions[i] + 0.1 * k * Vec3::UnitX();
    motion.samples.push_back(x);
  }
  return motion;
}

TEST(DeformingCollider, IsThereBetweenItsSamples) {
  const TriangleMesh mesh = test::sphere_mesh(0.2, 4);
  const DeformingCollider collider(swelling(mesh), mesh.triangles, {.level_set = {0.03, 0.04}});
  for (const double t : {-1.0, 0.0, 0.05, 0.13, 0.4, 2.0}) {
    const double k = std::clamp(t / 0.1, 0.0, 4.0), radius = 0.2 * (1 + 0.2 * k);
    const Vec3 center(0.1 * k, 0, 0);
    const ColliderPose pose = collider.at(t);
    for (const Vec3& n : {Vec3(1, 0, 0), Vec3(0, -1, 0), Vec3(0.6, 0, 0.8)}) {
      const Vec3 p = center + (radius + 0.01) * n;
      EXPECT_NEAR(pose.distance(p), 0.01, 6e-4);
      EXPECT_LT((pose.sample(p).gradient - n).norm(), 0.03);
    }
  }
}

TEST(DeformingCollider, MovesAsItsTrackBegins) {
  const TriangleMesh mesh = test::sphere_mesh(0.2, 2);
  const MotionTrack motion = swelling(mesh);
  MotionTrack later = motion;
  later.start_time = 2.0;
  const LevelSetOptions level_set{0.03, 0.04};
  const DeformingCollider first(motion, mesh.triangles, {.level_set = level_set}),
      then(later, mesh.triangles, {.level_set = level_set});
  const Vec3 p(0.22, 0.01, 0.02);
  for (const double t : {-0.3, 0.0, 0.06, 0.4, 0.5}) {
    const ColliderPose a = first.at(t), b = then.at(2.0 + t);
    EXPECT_NEAR(a.distance(p), b.distance(p), 1e-6) << t;
    EXPECT_NEAR(first.travel_bound(t, t + 0.15, {}), then.travel_bound(2.0 + t, 2.15 + t, {}), 1e-9) << t;
  }
}

TEST(DeformingCollider, TravelBoundHolds) {
  const TriangleMesh mesh = test::sphere_mesh(0.2, 3);
  const DeformingCollider collider(swelling(mesh), mesh.triangles, {.level_set = {0.02, 0.06}});
  const double bound = collider.travel_bound(0.12, 0.15, {});
  EXPECT_NEAR(bound, 0.03 / 0.1 * 0.14, 1e-3);  // the vertex ahead: 0.1 m + 0.2 * 0.2 m an interval
  const ColliderPose before = collider.at(0.12), after = collider.at(0.15);
  for (double y = -0.3; y < 0.3; y += 0.01) {
    const Vec3 p(0.4, y, 0.01);
    if (before.distance(p) > bound + 1e-3) {
      EXPECT_GT(after.distance(p), 0);
    }
  }
}

// On faces, edges and corners alike, whichever of a triangle's they are.
TEST(DeformingCollider, CarriesByADerivative) {
  const TriangleMesh mesh = test::sphere_mesh(0.2, 0);
  const DeformingCollider collider(swelling(mesh), mesh.triangles, {.level_set = {0.02, 0.08}});
  constexpr double kApart = 1e-6;
  for (const Triangle& t : mesh.triangles)
    for (const Vec3& weights : {Vec3(0.5, 0.3, 0.2), Vec3(0.7, 0.3, 0), Vec3(0.7, 0, 0.3), Vec3(0, 0.7, 0.3),
                                Vec3(0, 0.3, 0.7), Vec3(1, 0, 0)}) {
      Vec3 p = Vec3::Zero();
      for (int c = 0; c < 3; ++c) p += 1.2 * weights(c) * mesh.positions[t[c]];
      const Carried carried = collider.carry(0.0, 0.1, p);
      const Vec3 d = Vec3(0.3, -0.5, 0.8) * kApart;
      const Vec3 change =
          (collider.carry(0.0, 0.1, p + d).position - collider.carry(0.0, 0.1, p - d).position) /
          (2 * kApart);
      EXPECT_LT((change - carried.gradient * d / kApart).norm(), 1e-6) << weights.transpose();
    }
}

TEST(DeformingCollider, ForgetsBeyondItsMemory) {
  const TriangleMesh mesh = test::sphere_mesh(0.2, 3);
  const DeformingCollider stingy(swelling(mesh), mesh.triangles,
                                 {.level_set = {0.04, 0.04}, .cache_bytes = 0});
  const ColliderPose kept = stingy.at(0.0);
  const double before = kept.distance(Vec3(0.25, 0, 0));
  stingy.at(0.1), stingy.at(0.2);
  EXPECT_EQ(kept.distance(Vec3(0.25, 0, 0)), before);  // a pose outlives its place in the cache
  EXPECT_EQ(stingy.at(0.0).distance(Vec3(0.25, 0, 0)), before);
}

TEST(DeformingCollider, RefusesOpenMeshes) {
  TriangleMesh mesh = test::sphere_mesh(0.2, 1);
  mesh.triangles.pop_back();
  EXPECT_THROW(DeformingCollider(swelling(mesh), mesh.triangles, {}), InputError);
}

// A point that goes straight through the world goes along a curve past a body that turns. Against dense
// samples of that curve: what is shown to be free is, and what is free by a millimetre is shown to be.
TEST(RigidWay, TellsWaysThatTheBodyMeets) {
  const RigidMotion motion(wild_keys());
  const BoundingBox plate{Vec3(-0.3, -0.01, -0.2), Vec3(0.3, 0.01, 0.2)};
  const RoundedBox field(plate, 5e-3);
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  int met = 0, close = 0;
  for (int k = 0; k < 3000; ++k) {
    const double t0 = 0.6 + 0.5 * unit(random), t1 = t0 + 0.05 * (1.0 + unit(random));
    const RigidWay way(field, motion, t0, t1);
    // ends on either side of the plate, or the same
    const auto near = [&](double t) {
      return motion.pose(t).to_world(Vec3(0.4 * unit(random), 0.05 * unit(random), 0.3 * unit(random)));
    };
    const Vec3 from = near(t0), to = near(t1);
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= 1000; ++i) {
      const double s = i / 1000.0;
      least =
          std::min(least, field.distance(motion.pose(t0 + s * (t1 - t0)).to_body(from + s * (to - from))));
    }
    met += least <= 0.0;
    close += 0.0 < least && least < 0.01;
    const bool free = way.is_free(from, to);
    EXPECT_FALSE(free && least <= 0.0) << k;
    EXPECT_FALSE(!free && least > 1e-3) << k;
  }
  EXPECT_GT(met, 500);
  EXPECT_GT(close, 50);
}

}  // namespace
}  // namespace keydrape
