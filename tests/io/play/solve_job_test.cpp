#include "io/play/solve_job.h"

#include <gtest/gtest.h>

namespace keydrape {
namespace {

KeyframeOutcome target_of(std::optional<FrameRange> track = {}) {
  KeyframeOutcome outcome;
  outcome.track = track;
  return outcome;
}

TEST(SolveVerdict, NothingIsReachedWithoutATolerance) {
  RunSummary summary;
  summary.keyframes = {target_of(), target_of(FrameRange{1, 9})};
  const SolveVerdict verdict = verdict_of(summary);
  EXPECT_FALSE(verdict.is_reached);
  EXPECT_EQ(verdict.text, "done; no keyframe has a tolerance");
}

TEST(SolveVerdict, AToleranceOfAnyKindCounts) {
  for (const auto tolerance :
       {&KeyframeOutcome::tolerance, &KeyframeOutcome::velocity_tolerance, &KeyframeOutcome::tolerance_max}) {
    RunSummary summary;
    summary.keyframes = {target_of(), target_of()};
    summary.keyframes[1].*tolerance = 0.01;
    EXPECT_EQ(verdict_of(summary).is_reached, true);
    EXPECT_EQ(verdict_of(summary).text, "every keyframe with a tolerance is met");
    summary.keyframes[0].tolerance = 0.01;
    EXPECT_EQ(verdict_of(summary).text, "every keyframe is met");
    summary.status = RunStatus::kMissed;
    EXPECT_EQ(verdict_of(summary).is_reached, false);
    EXPECT_EQ(verdict_of(summary).text, "a keyframe missed its tolerance");
  }
}

TEST(SolveVerdict, SpeaksOfTracksWhereThereIsNothingElse) {
  RunSummary summary;
  summary.keyframes = {target_of(FrameRange{1, 9}), target_of(FrameRange{1, 9})};
  EXPECT_EQ(verdict_of(summary).text, "done; no track has a tolerance");
  for (KeyframeOutcome& outcome : summary.keyframes) outcome.tolerance = 0.01;
  EXPECT_EQ(verdict_of(summary).text, "every track is met");
  summary.status = RunStatus::kMissed;
  EXPECT_EQ(verdict_of(summary).text, "a track missed its tolerance");
}

TEST(SolveVerdict, ASearchThatEndedBeforeHasNone) {
  RunSummary summary;
  summary.keyframes = {target_of()};
  summary.keyframes[0].tolerance = 0.01;
  for (const RunStatus status : {RunStatus::kFailed, RunStatus::kInterrupted}) {
    summary.status = status;
    EXPECT_FALSE(verdict_of(summary).is_reached);
  }
}

}  // namespace
}  // namespace keydrape
