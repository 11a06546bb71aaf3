#include <gtest/gtest.h>

#include <cmath>

#include "core/inspect/overlap.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kDt = 1.0 / 96;
constexpr int kCells = 8, kCorner = kCells;  // vertices 0 .. kCells are the row y = 0
const Vec3 kGravity(0, 0, -9.81);

ClothDescription hung() { return cloth_of(square(kCells, 0.5), cotton(0.005), kGravity); }

TEST(Pin, HoldsExactlyWhereverItIsLed) {
  ClothDescription cloth = hung();
  const VecX x0 = stacked(cloth.mesh.positions);
  // Vertex 0 stands still; the other corner is led along a polygon, one sample every four steps.
  HardPin led = held(x0, {kCorner});
  led.motion.samples.clear();
  led.motion.sample_interval = 4 * kDt;
  for (int f = 0; f <= 15; ++f)
    led.motion.samples.push_back(at(x0, kCorner) +
                                 0.1 * Vec3(std::cos(0.4 * f) - 1, std::sin(0.3 * f), 0.05 * f));
  cloth.pins = {held(x0, {0}), led};
  const Model model = build_model(cloth);
  constexpr int kSteps = 60;
  const Motion motion = run(model, options_of(kDt), {x0, VecX::Zero(x0.size())}, kSteps);
  EXPECT_EQ(motion.unconverged(), 0);
  double worst = 0.0;
  for (int n = 1; n <= kSteps; ++n) {
    EXPECT_EQ(at(motion.states[n].x, 0), at(x0, 0));
    // At the samples the path is known without interpolation.
    const Vec3 difference = at(motion.states[n].x, kCorner) - led.motion.position(0, n * kDt);
    worst = std::max(worst, difference.norm());
    if (n % 4 == 0) {
      EXPECT_LE((at(motion.states[n].x, kCorner) - led.motion.samples[n / 4]).norm(), 1e-15);
    }
  }
  std::printf("animated pin off by %.1e m\n", worst);
  EXPECT_LE(worst, 1e-15);
}

TEST(Pin, PlaneAndAxisHoldToRoundingOver100Steps) {
  ClothDescription cloth = hung();
  const VecX x0 = stacked(cloth.mesh.positions);
  const Vec3 normal = Vec3(1, 2, 2) / 3, axis = Vec3(2, 1, -2) / 3, velocity(0.2, -0.1, 0.3);
  HardPin plane = held(x0, {0});
  plane.free = Mat3::Identity() - normal * normal.transpose();
  plane.motion.samples.push_back(at(x0, 0) + velocity);  // a plane that moves: one second to the next sample
  plane.motion.samples.push_back(at(x0, 0) + 2 * velocity);
  HardPin line = held(x0, {kCorner});
  line.free = axis * axis.transpose();
  const int still = kCells * (kCells + 1);
  cloth.pins = {plane, line, held(x0, {still})};
  const Model model = build_model(cloth);
  constexpr int kSteps = 100;
  const Motion motion = run(model, options_of(kDt), {x0, VecX::Zero(x0.size())}, kSteps);
  EXPECT_EQ(motion.unconverged(), 0);
  double off_plane = 0.0, off_line = 0.0, in_plane = 0.0, along_line = 0.0;
  for (int n = 1; n <= kSteps; ++n) {
    const Vec3 p = at(motion.states[n].x, 0) - at(x0, 0) - n * kDt * velocity;
    const Vec3 q = at(motion.states[n].x, kCorner) - at(x0, kCorner);
    off_plane = std::max(off_plane, std::abs(normal.dot(p)));
    off_line = std::max(off_line, (q - axis.dot(q) * axis).norm());
    in_plane = std::max(in_plane, p.norm());
    along_line = std::max(along_line, std::abs(axis.dot(q)));
  }
  std::printf("off the moving plane %.1e m (slid %.2f m), off the axis %.1e m (slid %.2f m)\n", off_plane,
              in_plane, off_line, along_line);
  EXPECT_LE(off_plane, 2e-15);
  EXPECT_LE(off_line, 2e-15);
  EXPECT_GE(in_plane, 0.01);
  EXPECT_GE(along_line, 0.01);
}

TEST(Pin, HoldsFromItsFirstFrameToItsLast) {
  ClothDescription cloth = hung();
  const VecX x0 = stacked(cloth.mesh.positions);
  HardPin early = held(x0, {0});
  early.end_time = 8 * kDt;
  HardPin late = held(x0, {kCorner});
  late.begin_time = 16 * kDt;
  cloth.pins = {early, late};
  const Model model = build_model(cloth);
  const Motion motion = run(model, options_of(kDt), {x0, VecX::Zero(x0.size())}, 24);
  EXPECT_EQ(motion.unconverged(), 0);
  for (int n = 1; n <= 24; ++n) {  // state n is the end of step n - 1, at the time n kDt
    EXPECT_EQ(at(motion.states[n].x, 0) == at(x0, 0), n <= 8) << "time step " << n;
    EXPECT_EQ(at(motion.states[n].x, kCorner) == at(x0, kCorner), n >= 16) << "time step " << n;
  }
}

// Of pins that hold a vertex at the same time the first in the list decides whether bodies are felt, too.
TEST(Pin, WhatSlidesFirstIsNotHeldByTheNext) {
  ClothDescription cloth = hung();
  const VecX corner = VecX::Zero(3);
  HardPin sliding{{0}, {{corner}, 1.0}}, whole{{0}, {{corner}, 1.0}};
  sliding.free = Vec3::UnitX() * Vec3::UnitX().transpose();
  sliding.end_time = 1.0;
  cloth.pins = {sliding, whole};
  for (const auto& [time, is_held] : {std::pair{0.5, 0}, std::pair{2.0, 1}}) {
    EXPECT_EQ(held_vertices(cloth, time)[0], is_held) << time;
    const Mat3 S = StepConstraints(cloth.pins, time, 1).rows()[0].S;
    EXPECT_EQ(S.isZero(0.0), is_held == 1) << time;
  }
}

// Times of frames and ends of steps are rounded differently; constraints, springs and contact
// judge them alike.
TEST(Pin, HoldsAtItsFirstAndLastFrameAtEveryRate) {
  int rounded = 0;
  for (const double fps : {24.0, 25.0, 29.97, 30.0, 60.0})
    for (const int substeps : {1, 4, 5}) {
      const double dt = 1.0 / (fps * substeps);
      for (int frame = 1; frame <= 40; ++frame) {
        const double of_frame = frame / fps;
        const double end_of_step = frame * substeps * dt;
        rounded += end_of_step != of_frame;
        for (const auto& [begin, end] : {std::pair{0.0, of_frame}, std::pair{of_frame, 1e300}}) {
          EXPECT_EQ(held_vertices(std::vector<HeldVertex>{{0, begin, end}}, end_of_step).size(), 1u) << fps;
          HardPin pin{{0}, {{VecX::Zero(3)}, 1.0}};
          pin.begin_time = begin, pin.end_time = end;
          EXPECT_EQ(StepConstraints({pin}, end_of_step, 1).rows().size(), 1u) << fps;
          ClothDescription cloth = hung();
          cloth.pins = {pin};
          if (frame % 10 == 0) {
            EXPECT_EQ(held_vertices(cloth, end_of_step)[0], 1) << fps;
          }
        }
      }
    }
  EXPECT_GT(rounded, 100);
}

}  // namespace
}  // namespace keydrape
