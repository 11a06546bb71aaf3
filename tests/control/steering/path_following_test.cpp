// How cloth that is off a path comes back to it.

#include "control/steering/path_following.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "tests/support/two_particles.h"

namespace keydrape {
namespace {

using namespace test;

class FollowingOfParticles : public TwoParticles {
 protected:
  using Return = PathFollowing::Return;

  struct Followed {
    State last;
    VecX wanted;  // where it should be
    VecX z;
  };
  // Along the fall from the start, displaced.
  Followed follow(const VecX& displacement, Return back) const {
    PathFollowing following({simulator_, layout_}, VecX::Zero(layout_.size()), {});
    PathFollowing::Path path{0, kCount, {}, VecX::Ones(2), 0.0, back};
    State falling = start_;
    for (int n = 0; n <= kCount; ++n) {
      path.positions.push_back(falling.x + displacement);
      falling = simulator_.step(n, {falling, nullptr}, VecX::Zero(6), {}).next;
    }
    const VecX wanted = path.positions.back();
    following.follow(std::move(path));
    State state = start_;
    VecX u(6);
    for (int n = 0; n < kCount; ++n) {
      if (n % kPerBlock == 0)
        following.choose(following.span(n), {state, nullptr}, VecX::Zero(state.x.size()));
      layout_.force(following.z(), layout_.block_of_step(n), u);
      state = simulator_.step(n, {state, nullptr}, u, {}).next;
    }
    return {state, wanted, following.z()};
  }
  // Sum over blocks and particles of |a|^2 [g2].
  double effort(const VecX& z) const {
    double sum = 0.0;
    for (int f = 0; f < kBlocks; ++f)
      for (int j = 0; j < 2; ++j) sum += layout_.acceleration(z, f, j).squaredNorm();
    return sum;
  }
  // The least that takes particles as far as that.
  double least_effort(const VecX& displacement) const {
    const double block = kPerBlock * kStep, c = (kPerBlock + 1.0) / (2.0 * kPerBlock);
    double sum = 0.0;
    for (int f = 0; f < kBlocks; ++f) sum += std::pow((c + f) * block * block, 2);
    return displacement.squaredNorm() / sum / std::pow(kStandardGravity, 2);
  }
  // How often the first particle is pushed the other way than in the block before, if not hardly at all.
  int turns(const VecX& z) const {
    const double little = 5e-3 * layout_.acceleration(z, 0, 0).norm();
    int count = 0;
    for (int f = 1; f < kBlocks; ++f) {
      const Vec3 a = layout_.acceleration(z, f, 0);
      count += a.norm() > little && a.dot(layout_.acceleration(z, f - 1, 0)) < 0.0;
    }
    return count;
  }
};

// Pushed so that it is there at the end of every block, a particle comes there ever too fast, and is pushed
// back as hard.
TEST_F(FollowingOfParticles, ComesBackWithoutSwingingToAndFro) {
  const VecX displacement = both(Vec3(0.1, 0, 0.02), Vec3(0, -0.05, 0));
  const double least = least_effort(displacement);
  const Followed at_once = follow(displacement, Return::kAtOnce),
                 in_time = follow(displacement, Return::kInTime);
  std::printf("at once %.3g, in time %.3g times the least effort\n", effort(at_once.z) / least,
              effort(in_time.z) / least);
  EXPECT_LT((at_once.last.x - at_once.wanted).norm(), 1e-10);
  EXPECT_LT((in_time.last.x - in_time.wanted).norm(), 1e-10);
  EXPECT_GE(effort(in_time.z), (1.0 - 1e-9) * least);
  EXPECT_LT(effort(in_time.z), 50.0 * least);
  EXPECT_GT(effort(at_once.z), 1000.0 * least);
  EXPECT_EQ(turns(at_once.z), kBlocks - 1);
  EXPECT_EQ(turns(in_time.z), 1);
}

}  // namespace
}  // namespace keydrape
