// Impulses of one pair, and the motion of a rigid zone, by what they have to keep.

#include "core/contact/impulse/impulse.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "core/contact/impulse/impact_zones.h"
#include "tests/support/noise.h"

namespace keydrape {
namespace {

constexpr int kSamples = 200;
using test::Rng, test::uniform;

VecX signed_noise(Rng& rng, int size) {
  return VecX::NullaryExpr(size, [&] { return uniform(rng, -1.0, 1.0); });
}

// Four vertices of different masses: a vertex that meets a face, or two edges that meet.
struct Pair {
  Pair(Rng& rng, int first_count) : v(signed_noise(rng, 12)), mass(4) {
    for (int a = 0; a < 4; ++a) mass(a) = uniform(rng, 0.1, 2.0);
    point.count = 4;
    point.vertices = {0, 1, 2, 3};
    for (int a = 0; a < 4; ++a) point.weights[a] = uniform(rng, 0.1, 1.0);
    point.weights.head(first_count) /= point.weights.head(first_count).sum();
    point.weights.tail(4 - first_count) /= -point.weights.tail(4 - first_count).sum();
    point.normal = signed_noise(rng, 3).normalized();
    if (point.normal_speed(v) > 0.0) point.normal = -point.normal;
  }

  FilteredStep step() const { return {0.01, 0.01, x, v, mass, free}; }
  Vec3 momentum(const VecX& velocities) const {
    Vec3 sum = Vec3::Zero();
    for (int a = 0; a < 4; ++a) sum += mass(a) * velocities.segment<3>(3 * a);
    return sum;
  }
  double energy(const VecX& velocities) const {
    double sum = 0.0;
    for (int a = 0; a < 4; ++a) sum += 0.5 * mass(a) * velocities.segment<3>(3 * a).squaredNorm();
    return sum;
  }

  ImpactPoint point;
  VecX x = VecX::Zero(12), v, mass;
  StepConstraints free;
};

TEST(Impulse, KeepsMomentumAndPartsWithTheShareOfTheSpeedThatWasAskedFor) {
  Rng rng(1);
  for (int k = 0; k < kSamples; ++k) {
    Pair pair(rng, k % 2 ? 1 : 2);
    pair.point.friction = k % 3 ? uniform(rng, 0.0, 1.0) : 0.0;
    const double e = uniform(rng, 0.0, 1.0), before = pair.point.normal_speed(pair.v);
    ASSERT_LT(before, 0.0);
    VecX v = pair.v;
    push_apart(pair.point, Mobility(pair.step(), 4), parting_speed(pair.point, e, v, v), v);
    EXPECT_NEAR(pair.point.normal_speed(v), -e * before, 1e-12);
    EXPECT_LT((pair.momentum(v) - pair.momentum(pair.v)).norm(), 1e-12);
    EXPECT_LE(pair.energy(v), pair.energy(pair.v) * (1 + 1e-14));
  }
}

TEST(Impulse, OfAnElasticPairWithoutFrictionKeepsTheEnergy) {
  Rng rng(2);
  for (int k = 0; k < kSamples; ++k) {
    const Pair pair(rng, 1);
    VecX v = pair.v;
    push_apart(pair.point, Mobility(pair.step(), 4), parting_speed(pair.point, 1.0, v, v), v);
    EXPECT_NEAR(pair.energy(v), pair.energy(pair.v), 1e-12);
  }
}

TEST(Impulse, FrictionStopsWhatSlidesSlowlyAndOnlySlowsWhatSlidesFast) {
  Rng rng(3);
  int stopped = 0, slowed = 0;
  for (int k = 0; k < kSamples; ++k) {
    Pair pair(rng, 1);
    pair.point.friction = 0.5;
    const auto slip = [&](const VecX& v) {
      return Vec3(pair.point.velocity(v) - pair.point.normal * pair.point.normal_speed(v));
    };
    VecX v = pair.v;
    push_apart(pair.point, Mobility(pair.step(), 4), 0.0, v);
    // mu J of the mass that J meets: all vertices are free.
    const double most = 0.5 * -pair.point.normal_speed(pair.v), from = slip(pair.v).norm();
    EXPECT_NEAR(slip(v).norm(), std::max(from - most, 0.0), 1e-12);
    ++(from > most ? slowed : stopped);
  }
  EXPECT_GT(stopped, 10);
  EXPECT_GT(slowed, 10);
}

TEST(Impulse, NeverDrawsTogetherAndMovesNothingThatIsHeld) {
  Rng rng(4);
  Pair pair(rng, 1);
  VecX v = pair.v;
  const Mobility mobility(pair.step(), 4);
  push_apart(pair.point, mobility, 2 * pair.point.normal_speed(v), v);
  EXPECT_EQ(v, pair.v);
  // Vertex 3 belongs to a body: it stands behind the cloth's three.
  pair.mass.conservativeResize(3);
  push_apart(pair.point, Mobility(pair.step(), 4), 0.0, v);
  EXPECT_EQ(v.tail(3), pair.v.tail(3));
  EXPECT_NEAR(pair.point.normal_speed(v), 0.0, 1e-12);
}

TEST(Impulse, WhatHasComeToRestDoesNotJump) {
  Rng rng(5);
  const Pair pair(rng, 1);
  EXPECT_EQ(parting_speed(pair.point, 1.0, pair.v, VecX::Zero(12)), 0.0);
  EXPECT_DOUBLE_EQ(parting_speed(pair.point, 0.5, pair.v, 2 * pair.v),
                   -0.5 * pair.point.normal_speed(pair.v));
}

TEST(RigidZone, KeepsBothMomentaAndNoDistanceShrinksOnStraightWays) {
  Rng rng(6);
  for (int k = 0; k < kSamples; ++k) {
    const int n = 2 + k % 6;
    const bool on_a_line = k % 5 == 0;
    const VecX v = signed_noise(rng, 3 * n), direction = signed_noise(rng, 3);
    VecX x = signed_noise(rng, 3 * n), mass = VecX::Constant(n, 0.3) + 0.2 * signed_noise(rng, n);
    if (on_a_line)
      for (int i = 0; i < n; ++i) x.segment<3>(3 * i) = uniform(rng, -1.0, 1.0) * direction;
    std::vector<int> all(n);
    for (int i = 0; i < n; ++i) all[i] = i;
    const RigidVelocities rigid = rigid_velocities(all, mass, x, v);
    Vec3 momentum = Vec3::Zero(), angular = Vec3::Zero();
    double energy = 0.0;
    VecX w(3 * n);
    for (int i = 0; i < n; ++i) {
      const Vec3 p = x.segment<3>(3 * i), before = v.segment<3>(3 * i), after = rigid.at(p);
      w.segment<3>(3 * i) = after;
      momentum += mass(i) * (after - before);
      angular += mass(i) * p.cross(after - before);
      energy += 0.5 * mass(i) * (after.squaredNorm() - before.squaredNorm());
    }
    EXPECT_LT(momentum.norm(), 1e-12);
    EXPECT_LT(angular.norm(), 1e-10);
    EXPECT_LE(energy, 1e-12);
    for (const double t : {0.1, 0.5, 1.0, 3.0})
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j) {
          const Vec3 d = x.segment<3>(3 * i) - x.segment<3>(3 * j);
          EXPECT_GE((d + t * (w.segment<3>(3 * i) - w.segment<3>(3 * j))).norm(), d.norm() * (1 - 1e-12));
        }
  }
}

TEST(ImpactZones, GrowTogether) {
  ImpactZones zones(6);
  EXPECT_TRUE(zones.unite(4, 2));
  EXPECT_TRUE(zones.unite(5, 4));
  EXPECT_FALSE(zones.unite(2, 5));
  EXPECT_TRUE(zones.unite(0, 1));
  EXPECT_EQ(zones.zones(), (std::vector<std::vector<int>>{{0, 1}, {2, 4, 5}}));
}

}  // namespace
}  // namespace keydrape
