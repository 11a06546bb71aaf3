// What is pushed in a block, on free particles and to the digit: guidance (G), (G2), landing (R4), (R6), runs
// from behind (R1) to (R4).

#include <gtest/gtest.h>

#include "control/run/rollout.h"
#include "control/steering/guidance.h"
#include "control/steering/landing.h"
#include "control/steering/retrograde.h"
#include "tests/support/two_particles.h"

namespace keydrape {
namespace {

using namespace test;

// Constant over k implicit steps, the acceleration that moves a particle by 1 m [1/s^2].
double per_way(double step, int k) { return 2.0 / (step * step * k * (k + 1)); }

class SteeredBlocks : public TwoParticles {
 protected:
  const State now_{both(Vec3(0.1, 0.9, -2), Vec3(1.2, 1.1, -1.9)),
                   both(Vec3(0.5, -1, 0.1), Vec3(0.2, 0.3, -0.4))};

  Keyframe pose(int state) const { return {state, two_poses()[1].target, VecX::Ones(2), 1.0, 0.0, {}}; }
  // What a steering pushes at a step.
  static VecX accelerations(Steering& steering, int step, const State& state) {
    VecX u(6);
    steering.steer(step, state, u);
    return u / kMass;
  }
  // The acceleration of (G) with 3 or 2, to a target that is `steps` away.
  VecX to(const VecX& target, const State& from, int steps, double factor) const {
    return 0.5 * factor * per_way(kStep, steps) * (target - from.x - steps * kStep * from.v);
  }
  static void expect_same(const VecX& a, const VecX& b) { EXPECT_LT((a - b).norm(), 1e-11 * b.norm()); }
};

// With the least effort over all that is left, but in the last block, where nothing comes after.
TEST_F(SteeredBlocks, GuidanceBeginsTheLeastEffort) {
  const std::vector<Keyframe> keyframes{pose(kCount)};
  Guidance guidance(layout_, keyframes, kStep);
  const VecX& target = keyframes[0].target;
  expect_same(accelerations(guidance, 0, now_), to(target, now_, kCount, 3.0));
  expect_same(accelerations(guidance, kCount - 2 * kPerBlock, now_), to(target, now_, 2 * kPerBlock, 3.0));
  expect_same(accelerations(guidance, kCount - kPerBlock, now_), to(target, now_, kPerBlock, 2.0));
}

// On a track three blocks ahead.
TEST_F(SteeredBlocks, GuidanceAimsAheadOnATrack) {
  std::vector<Keyframe> track;
  for (int f = 1; f <= kBlocks; ++f) {
    track.push_back(pose(f * kPerBlock));
    track.back().target.array() += 0.1 * f;
    track.back().target_id = 0;
  }
  Guidance guidance(layout_, track, kStep);
  expect_same(accelerations(guidance, 0, now_), to(track[2].target, now_, 3 * kPerBlock, 3.0));
}

TEST_F(SteeredBlocks, GuidanceCountsFromAnEarlierState) {
  std::vector<Keyframe> keyframes{pose(kCount)};
  keyframes[0].relative_to = 0;
  Guidance guidance(layout_, keyframes, kStep);
  expect_same(accelerations(guidance, 0, now_), to(now_.x + keyframes[0].target, now_, kCount, 3.0));
}

// Far from its keyframe guidance holds a run to the one that it is to mend.
TEST_F(SteeredBlocks, GuidanceHoldsToItsReference) {
  const VecX z = some_forces(layout_);
  const Trajectory run = rollout(simulator_, start_, ControlForces(layout_, z), kCount);
  const std::vector<Keyframe> keyframes{pose(kCount)};
  const Feedback feedback{30.0, 7.0};
  Guidance guidance(layout_, keyframes, kStep, nullptr, {run, z, feedback, kPerBlock});
  const VecX off_x = both(Vec3(0.1, -0.2, 0.3), Vec3(0, 0.1, 0)), off_v = both(Vec3(1, 0, 0), Vec3(0, 0, -2));
  VecX u(6);
  layout_.force(z, 1, u);
  const State& there = run.states[kPerBlock];
  expect_same(accelerations(guidance, kPerBlock, {there.x + off_x, there.v + off_v}),
              u / kMass - 30.0 * off_x - 7.0 * off_v);
}

// Where forces are dear a trial takes away a share of what it is to, s^2, so that how it began shows: the
// first vertex is landed, the second held to the run.
TEST_F(SteeredBlocks, LandingHoldsOnlyWhatItDoesNotLand) {
  constexpr double kShare = 0.25;
  constexpr int kLanding = 4 * kPerBlock, kBegin = kCount - kLanding;
  const ControlLayout layout(even_blocks(kCount, kPerBlock), {0, 1}, model_.vertex_mass(), {0.5, 1.0});
  const VecX z = some_forces(layout);
  const Trajectory run = rollout(simulator_, start_, ControlForces(layout, z), kCount);
  std::vector<Keyframe> keyframes{pose(kCount)};
  keyframes[0].vertex_weight(1) = 0.0;
  const Feedback feedback{30.0, 7.0};
  Landing landing({simulator_, layout, keyframes, {1e-13}, run, z, feedback, kLanding}, {});
  const VecX off_x = both(Vec3(0.1, -0.2, 0.3), Vec3(0, 0.1, 0)), off_v = both(Vec3(1, 0, 0), Vec3(0, 0, -2));
  const State& there = run.states[kBegin];
  const VecX a = accelerations(landing, kBegin, {there.x + off_x, there.v + off_v});
  VecX expected(6);
  layout.force(z, kBegin / kPerBlock, expected);
  expected /= kMass;
  const double t = 1.0 * kPerBlock / kLanding;
  const Vec3 way =
      t * (keyframes[0].target - run.back().x - off_x).head<3>() - kPerBlock * kStep * off_v.head<3>();
  expected.head<3>() += kShare * per_way(kStep, kPerBlock) * way;
  expected.tail<3>() -= (30.0 * off_x + 7.0 * off_v).tail<3>();
  expect_same(a, expected);
}

// Likewise of a run from behind: in its second block a trial with (R3), and what (R4) adds to it.
TEST_F(SteeredBlocks, RunsFromBehindFollowTheirPath) {
  constexpr double kShare = 0.25;
  constexpr int kEnd = 24;
  const Vec3 g(0, -9.81, 0), target(0.2, 1.2, -1.9);
  const Vec3 from_x = start_.x.head<3>(), from_v = start_.v.head<3>();
  const double time = kEnd * kStep;
  Keyframe keyframe = pose(kEnd);
  keyframe.target.head<3>() = target;
  keyframe.vertex_weight(1) = 0.0;
  std::vector<Vec3> path(kEnd + 1, target);
  Vec3 x = target, v = 0.5 * from_v - 1.5 / time * (target - from_x);  // (R1)
  for (int n = kEnd - 1; n > 0; --n) {
    const double tau = (n + 1) * kStep;
    v += kStep * (g + 6.0 / (tau * tau) * (from_x - x) - (4.0 * v - 2.0 * from_v) / tau);  // (R2)
    x += kStep * v;
    path[n] = x;
  }
  path[0] = 2.0 * path[1] - path[2];
  for (const int k : {1, kPerBlock}) {
    const ControlLayout layout(even_blocks(kEnd, k), {0, 1}, model_.vertex_mass(), {0.5, 1.0});
    const Trajectory near = rollout(simulator_, start_, NoForces(), kEnd);
    const std::vector<Keyframe> keyframes{keyframe};
    Retrograde retrograde(
        {simulator_, layout, keyframes, {1e-13}, near, nullptr, nullptr, PathFollowing::Return::kAtOnce}, {});
    accelerations(retrograde, 0, start_);
    const VecX a = accelerations(retrograde, k, now_);
    Vec3 mean = Vec3::Zero();  // (R3)
    for (int n = k; n < 2 * k; ++n) mean += (path[n + 1] - 2.0 * path[n] + path[n - 1]) / (k * kStep * kStep);
    const double h = per_way(kStep, k);
    const Vec3 end = now_.x.head<3>() + k * kStep * now_.v.head<3>() + (kShare * mean + g) / h;
    const Vec3 expected = kShare * (mean + h * (path[2 * k] - end));  // (R4)
    EXPECT_LT((a.head<3>() - expected).norm(), 1e-8 * expected.norm()) << k;
    EXPECT_EQ(a.tail<3>(), Vec3::Zero());
  }
}

}  // namespace
}  // namespace keydrape
