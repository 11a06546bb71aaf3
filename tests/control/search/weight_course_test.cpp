// When raising a weight has been in vain, and when a search has missed again too often.

#include "control/search/weight_course.h"

#include <gtest/gtest.h>

#include <utility>

#include "control/search/tolerance_weights.h"

namespace keydrape {
namespace {

// Of cloth that comes d off without forces, and 1/(1 + f R) of that at weight f.
double left_of(double d, double fR) { return d / (1.0 + fR); }

// Weights that begin far too low take hardly anything off a miss, but twenty times as much after each raise:
// of a target at some tolerances' distance as of one at many.
TEST(WeightCourse, AWeightThatIsTooSmallToShowIsRaisedOn) {
  for (const double miss : {1.9, 15.0}) {
    WeightCourse course;
    double fR = 1e-7;
    for (int raise = 0; raise < 4; ++raise, fR *= 20.0) {
      course.raise_before_trial({.miss = miss, .p = left_of(miss, fR), .from = fR, .may_be_small = true});
      EXPECT_FALSE(course.is_raised_in_vain(left_of(miss, 20.0 * fR))) << raise;
      EXPECT_FALSE(course.is_one_too_many(left_of(miss, 20.0 * fR), miss)) << raise;
      course.end_iteration();
    }
  }
}

// Among several the first weight follows from what a steered run cost, and is large enough to show.
TEST(WeightCourse, AFarTargetsWeightHasToShowAtOnceBesideOthers) {
  WeightCourse course;
  course.raise_before_trial({.miss = 15.0, .p = left_of(15.0, 1e-3), .from = 1e-3});
  EXPECT_TRUE(course.is_one_too_many(left_of(15.0, 2e-2), 15.0));
}

// A target that strains the cloth comes nearer by a fifth with twenty times the weight. Beside others that
// are missed as well that is in vain, and goes back; alone it is worth it.
TEST(WeightCourse, AFarTargetAloneIsRaisedAsLongAsItComesNearer) {
  const WeightCourse::Raise beside{.miss = 7.4, .p = 7.1, .from = 1.0};
  WeightCourse::Raise alone = beside;
  alone.is_alone = true;
  for (const auto& [raise, goes_back] : {std::pair(beside, true), std::pair(alone, false)}) {
    WeightCourse course;
    course.raise_before_trial(raise);
    EXPECT_TRUE(course.is_raised_in_vain(5.8)) << "a trial first";
    EXPECT_EQ(course.is_one_too_many(5.8, raise.miss), goes_back);
  }
}

// Where the model does what it can, a heavier weight changes nothing.
TEST(WeightCourse, AWeightThatTheModelCannotFollowGoesBackAfterThreeRaises) {
  constexpr double kMiss = 1.9, kReachable = 1.6;
  WeightCourse course;
  double factor = 1.0;
  for (int raise = 0; raise < WeightCourse::kVainRaises; ++raise, factor *= 20.0) {
    course.raise_before_trial(
        {.miss = kMiss, .p = kReachable + 0.01 / factor, .from = factor, .may_be_small = true});
    EXPECT_TRUE(course.is_raised_in_vain(kReachable));
    EXPECT_EQ(course.is_one_too_many(kReachable, kMiss), raise + 1 == WeightCourse::kVainRaises);
    course.end_iteration();
  }
  EXPECT_EQ(course.factor_before(), 1.0);
  EXPECT_TRUE(course.is_given_up(kReachable));
  EXPECT_FALSE(course.is_given_up(0.6 * kReachable));
}

// The model may know little of what a trial brings: that was worth its weight, whatever it predicted.
TEST(WeightCourse, AWeightWhoseTrialComesNearerStays) {
  for (const auto& [miss, goes_back] : {std::pair(9.0, true), std::pair(2.9, false)}) {
    WeightCourse course;
    course.raise_before_trial({.miss = 10.5, .p = 5.7, .from = 1.0});
    EXPECT_EQ(course.is_one_too_many(4.3, miss), goes_back) << miss;
    course.end_iteration();
    EXPECT_FALSE(course.is_given_up(4.3));
  }
}

// A miss that no raise takes anything off, as where no force can act.
TEST(WeightCourse, AMissThatStaysIsNoReasonToGoOn) {
  WeightCourse course;
  course.raise_before_trial({.miss = 3.0, .p = 3.0, .from = 1.0, .may_be_small = true});
  EXPECT_TRUE(course.is_raised_in_vain(3.0));
}

// A way to less effort that misses by far may come back, a little with each iterate.
TEST(MissedAgain, IteratesOnTheirWayBackAreNoneTooMany) {
  constexpr int kAllowed = 2;
  MissedAgain back;
  for (const double merit : {2.7, 2.6, 2.5, 2.4, 1.9, 1.2})
    EXPECT_FALSE(back.is_one_too_many(merit, kAllowed));
  EXPECT_FALSE(back.is_one_too_many(1.5, kAllowed)) << "the second that is no nearer";
  EXPECT_FALSE(back.is_one_too_many(1.1, kAllowed));
  EXPECT_TRUE(back.is_one_too_many(1.1, kAllowed));
}

TEST(MissedAgain, IteratesThatComeNoNearerAreCounted) {
  MissedAgain away;
  for (const double merit : {1.2, 1.3}) EXPECT_FALSE(away.is_one_too_many(merit, 2));
  EXPECT_TRUE(away.is_one_too_many(1.25, 2)) << "nearer than the last, not than all before";
}

}  // namespace
}  // namespace keydrape
