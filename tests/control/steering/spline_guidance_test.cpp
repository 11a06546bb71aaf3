// Guidance by splines: a free particle, for which the best forces are known.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "control/steering/guidance.h"

namespace keydrape {
namespace {

constexpr double kMass = 0.01, kDt = 1.0 / 48.0;
constexpr int kBlocks = 24, kStepsInBlock = 2, kSteps = kBlocks * kStepsInBlock;

ControlLayout layout(int knots_every) {
  std::vector<int> blocks;
  for (int n = 0; n < kSteps; ++n) blocks.push_back(n / kStepsInBlock);
  ControlBasis basis;
  if (knots_every > 0) basis.spline.emplace(kBlocks, knots_every);
  return ControlLayout(blocks, {0}, VecX::Constant(1, kMass), {}, basis);
}

struct Flight {
  std::vector<Vec3> places;   // after each step
  std::vector<double> sizes;  // of the acceleration in each step [m/s^2]
  double largest() const { return *std::max_element(sizes.begin(), sizes.end()); }
  double effort() const {  // mean square
    double sum = 0.0;
    for (const double a : sizes) sum += a * a / static_cast<double>(sizes.size());
    return sum;
  }
};

// `drift`: an acceleration that guidance does not know of [m/s^2].
Flight fly(int knots_every, const std::vector<Keyframe>& keyframes, const Vec3& drift = Vec3::Zero()) {
  const ControlLayout space = layout(knots_every);
  Guidance guidance(space, keyframes, kDt);
  State state{VecX::Zero(3), VecX::Zero(3)};
  Flight flight;
  VecX u(3);
  for (int n = 0; n < kSteps; ++n) {
    guidance.steer(n, state, u);
    const Vec3 a = u / kMass;
    state.v += kDt * (a + drift);
    state.x += kDt * state.v;
    flight.places.emplace_back(state.x);
    flight.sizes.push_back(a.norm());
  }
  return flight;
}

Keyframe target(int state, const Vec3& place) {
  Keyframe keyframe{};
  keyframe.state = state;
  keyframe.target = place;
  keyframe.vertex_weight = VecX::Ones(1);
  return keyframe;
}

TEST(SplineGuidance, ArrivesByTheLeastEffort) {
  const Vec3 place(0.3, -0.1, 0.2);
  const Flight plain = fly(0, {target(kSteps, place)});
  for (const int knots : {1, 3, 6, 12}) {
    const Flight flight = fly(knots, {target(kSteps, place)});
    EXPECT_LT((flight.places.back() - place).norm(), 0.02 * place.norm()) << knots;
    EXPECT_LT(flight.effort(), 1.15 * plain.effort()) << knots;
    EXPECT_LT(flight.largest(), 1.5 * plain.largest()) << knots;
    // The best force falls to nothing towards the end; (G) would have it rise.
    EXPECT_LT(flight.sizes.back(), 0.4 * flight.largest()) << knots;
  }
}

// As gravity and wind are: a constant push. Without forces it would take the particle 1 m away.
TEST(SplineGuidance, WhatElsePushesIsSeenAndMadeUpFor) {
  const Vec3 place(0.3, -0.1, 0.2), drift(0.0, 0.0, -2.0);
  const Flight plain = fly(0, {target(kSteps, place)}, drift);
  for (const int knots : {1, 3, 6}) {
    const Flight flight = fly(knots, {target(kSteps, place)}, drift);
    EXPECT_LT((flight.places.back() - place).norm(), 0.03) << knots;
    EXPECT_LT(flight.largest(), 2.0 * plain.largest()) << knots;
    EXPECT_LT(flight.sizes.back(), 0.8 * flight.largest()) << knots;
  }
}

TEST(SplineGuidance, GoesOnToTheNextTarget) {
  const Vec3 first(0.1, 0.0, 0.0), second(0.0, 0.2, 0.0);
  for (const int knots : {1, 3, 6}) {
    const Flight flight = fly(knots, {target(kSteps / 2, first), target(kSteps, second)});
    EXPECT_LT((flight.places[kSteps / 2 - 1] - first).norm(), 0.03 * first.norm()) << knots;
    EXPECT_LT((flight.places.back() - second).norm(), 0.2 * second.norm()) << knots;
  }
}

TEST(SplineGuidance, ReachesAVelocity) {
  Keyframe keyframe = target(kSteps, Vec3::Zero());
  keyframe.weight = 0.0;
  keyframe.velocity_weight = 1.0;
  keyframe.target_velocity = Vec3(0.0, 1.0, 0.0);
  const Flight flight = fly(6, {keyframe});
  const Vec3 velocity = (flight.places.back() - flight.places[kSteps - 2]) / kDt;
  EXPECT_LT((velocity - Vec3(0.0, 1.0, 0.0)).norm(), 0.03);
}

}  // namespace
}  // namespace keydrape
