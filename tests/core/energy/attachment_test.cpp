#include "core/energy/attachment.h"

#include <gtest/gtest.h>

#include "core/constraint/motion_track.h"
#include "core/energy/spring.h"
#include "core/step/simulator.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

constexpr double kAttachmentDt = 0.01;
constexpr double kEndTime = 0.5;

TEST(Spring, SeamIsQuadraticAndSmoothWhereItCloses) {
  const Spring seam{{0, 1}, 5.0, 0.0, 0.0};
  const VecX none;
  const auto s =
      seam.start({}, {kAttachmentDt, kEndTime, none, none}, {Stencil<2>::Zero(), Stencil<2>::Zero()});
  const Stencil<2> open{{0.0, 0.3}, {0.0, 0.0}, {0.0, 0.4}};
  EXPECT_NEAR(seam.value(open, s), 0.5 * 5.0 * 0.25, 1e-15);
  EXPECT_LE((seam.gradient(open, s).col(1) - 5.0 * open.col(1)).norm(), 1e-14);
  EXPECT_LE((seam.hessian(Stencil<2>::Zero(), s).block<3, 3>(0, 0) - 5.0 * Mat3::Identity()).norm(), 1e-14);
}

TEST(Attachment, HoldsOnlyAlongItsProjectorAndWhileItActs) {
  const Attachment pin{{0}, 1, 5.0, 0.0};
  const Vec3 normal = Vec3(1, 2, 2) / 3, tangent = Vec3(2, -2, 1) / 3;
  const VecX first = VecX::LinSpaced(6, 0.0, 1.0), last = VecX::LinSpaced(6, 2.0, -1.0);
  const Attachment::Shared shared{
      {{first, last}, 1.0}, normal * normal.transpose(), kEndTime, kEndTime + 0.1};
  const VecX none;
  const auto at = [&](double time) {
    return pin.start(shared, {kAttachmentDt, time, none, none}, {Vec3::Zero(), Vec3::Zero()});
  };
  const Vec3 p = shared.motion.position(1, kEndTime);
  EXPECT_LE((pin.gradient(p + 0.2 * normal + 3 * tangent, at(kEndTime)) - 5.0 * 0.2 * normal).norm(), 1e-14);
  EXPECT_EQ(pin.value(Vec3::Zero(), at(kEndTime - 0.01)), 0.0);
  EXPECT_EQ(pin.value(Vec3::Zero(), at(kEndTime + 0.11)), 0.0);
  EXPECT_GT(pin.value(Vec3::Zero(), at(kEndTime + 0.1)), 0.0);
}

// What the damping of a pin takes while it moves is not stored.
TEST(Attachment, StoresNoMotionOfItsPin) {
  ClothDescription cloth =
      test::cloth_of(test::square(2, 0.2), test::cotton(), Vec3(0, -kStandardGravity, 0));
  const VecX x = stacked(cloth.mesh.positions);
  SoftPin pin;
  pin.vertices = {4};
  pin.weights = {1.0};
  pin.motion = {{VecX(x.segment<3>(12)), VecX(x.segment<3>(12) + Vec3(0.3, 0, 0))}, 0.1};
  pin.stiffness = 5.0;
  pin.damping = 0.2;
  cloth.soft_pins = {pin};
  const Model model = build_model(cloth);
  constexpr double kAway = 0.15;
  const State state{x, VecX::Zero(x.size())};
  EXPECT_NEAR(elastic_energy(model, state, 0.01, 0.05), 0.5 * 5.0 * kAway * kAway, 1e-12);
}

TEST(MotionTrack, IsLinearBetweenSamplesAndRestsOutside) {
  const VecX a = VecX::Constant(6, 1.0), b = VecX::Constant(6, 3.0), c = VecX::Constant(6, 4.0);
  const MotionTrack track{{a, b, c}, 0.5};
  EXPECT_EQ(track.point_count(), 2);
  for (const auto& [time, expected] :
       {std::pair(-1.0, 1.0), {0.0, 1.0}, {0.25, 2.0}, {0.5, 3.0}, {0.75, 3.5}, {1.0, 4.0}, {9.0, 4.0}})
    EXPECT_EQ(track.position(1, time), Vec3::Constant(expected));
  EXPECT_EQ((MotionTrack{{a}}.position(0, 2.0)), Vec3::Constant(1.0));
  MotionTrack late = track;
  late.start_time = 8.0;
  EXPECT_EQ(late.end_time(), 9.0);
  for (const double time : {-1.0, 0.0, 0.25, 0.75, 1.0, 2.0})
    EXPECT_EQ(late.position(1, 8.0 + time), track.position(1, time)) << time;
}

// Times of frames as steps count them: no bit of a sample that comes later shows.
TEST(MotionTrack, IsThereAtItsSamplesHoweverTheirTimesAreRounded) {
  for (const double fps : {24.0, 25.0, 29.97, 30.0, 60.0})
    for (const int substeps : {1, 3, 4, 7}) {
      MotionTrack track{{}, 1.0 / fps};
      for (int f = 0; f <= 200; ++f) track.samples.push_back(VecX::Constant(3, 0.1 * f * f));
      const double dt = 1.0 / (fps * substeps);
      for (int f = 0; f <= 200; ++f)
        EXPECT_EQ(track.position(0, f * substeps * dt), track.samples[f].segment<3>(0)) << fps << " " << f;
    }
}

}  // namespace
}  // namespace keydrape
