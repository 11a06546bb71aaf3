// The least misses of a search, and where they lead to.

#include "control/search/closest_misses.h"

#include <gtest/gtest.h>

#include <cmath>

namespace keydrape {
namespace {

KeyframeMiss miss(double rms, double velocity_rms = 0.0) { return {rms, 2.0 * rms, velocity_rms, 7}; }

TEST(ClosestMisses, AreThoseOfEachKeyframeByItself) {
  ClosestMisses closest;
  closest.take_in({miss(3.0, 0.5), miss(1.0)}, 1);
  closest.take_in({miss(2.0, 0.7), miss(4.0)}, 3);
  ASSERT_EQ(closest.now.least.size(), 2u);
  EXPECT_EQ(closest.now.least[0].rms, 2.0);
  EXPECT_EQ(closest.now.least[0].velocity_rms, 0.5);
  EXPECT_EQ(closest.now.least[1].rms, 1.0);
}

// A miss that falls as a power of the runs goes on as that power says, whenever it is asked.
TEST(ClosestMisses, GoOnAsTheyFell) {
  ClosestMisses closest;
  for (int runs = 1; runs <= 60; ++runs) {
    closest.take_in({miss(std::pow(runs, -0.5)), miss(1.0)}, runs);
    if (runs < 4) continue;
    EXPECT_LE(2 * closest.quarter.runs, runs);
    EXPECT_NEAR(closest.after(4, 0), std::pow(4.0 * runs, -0.5), 1e-12);
    EXPECT_EQ(closest.after(4, 1), 1.0);
  }
}

TEST(ClosestMisses, OfASingleRunStay) {
  ClosestMisses closest;
  closest.take_in({miss(3.0)}, 2);
  EXPECT_EQ(closest.after(4, 0), 3.0);
}

}  // namespace
}  // namespace keydrape
