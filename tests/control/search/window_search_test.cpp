// What a search in windows says of its end, whatever it was interrupted by.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "control/run/rollout.h"
#include "control/search/search.h"
#include "control/task/window_task.h"
#include "core/base/error.h"
#include "tests/support/hung_task.h"

namespace keydrape {
namespace {

using namespace test;

constexpr int kWindowSteps = 8;  // of each of two windows of four intervals

// Two keyframes, one in each window: the first is to be swung by so much, the second where the cloth hangs.
Task with_two_targets(double first_swing, double tolerance) {
  Task task = hung_task(4, 8);
  Target first = task.targets[0];
  first.keyframe.state = kWindowSteps;
  for (Eigen::Index i = 0; i < first.keyframe.target.size(); i += 3)
    first.keyframe.target[i + 2] -= first_swing * first.keyframe.target[i + 1];
  first.tolerance = tolerance;
  task.targets[0].tolerance = 0.05;
  task.targets.insert(task.targets.begin(), first);
  task.effort.automatic = true;
  return task;
}

SearchOptions in_windows(std::optional<int> runs = {}) {
  SearchOptions options;
  options.windows = {{0, 4}, {4, 8}};
  options.max_forward_runs = runs;
  return options;
}

// Keeps the last checkpoint, and stops where it is told to.
class Keeper final : public SearchObserver {
 public:
  explicit Keeper(int windows = 1000) : windows_(windows) {}
  void on_checkpoint(const SearchPart&, const SearchState& state, const RunView& at,
                     const RunView*) override {
    last = SearchCheckpoint{state, {at.z, at.trajectory}, {}};
    start = at.trajectory.states.front().x.data();
  }
  bool should_stop() override {
    return last && last->state.windows && last->state.windows->count >= windows_;
  }
  std::optional<SearchCheckpoint> last;
  const double* start = nullptr;  // of the run that it was told of last: where its first positions lie

 private:
  int windows_;
};

// Within its mean, and beyond what was asked of its farthest vertex.
TEST(WindowSearch, ATargetThatSlidesIsMetWithinBothOfItsTolerances) {
  Task task = hung_task(4, 8);
  Target& target = task.targets[0];
  target.keyframe.target = task.start.x;
  target.keyframe.target[5] += 0.01;
  target.keyframe.candidates = {target.keyframe.state - 1, target.keyframe.state};
  target.tolerance = 0.005;
  const StateSource states = [&](int) { return task.start; };
  EXPECT_TRUE(met_until(task, 0, states, target.keyframe.state));
  target.tolerance_max = 0.02;
  EXPECT_TRUE(met_until(task, 0, states, target.keyframe.state));
  target.tolerance_max = 0.009;
  EXPECT_FALSE(met_until(task, 0, states, target.keyframe.state));
}

TEST(WindowSearch, MetIsWhatEveryWindowMeets) {
  Keeper observer;
  const SearchResult met = search(with_two_targets(0.2, 0.02), in_windows(), observer);
  ASSERT_TRUE(met.reached());
  EXPECT_EQ(met.summary.end, SearchEnd::kMet);
  // But for that of the whole without forces: behind the last window there is nothing to run.
  EXPECT_EQ(met.summary.work.forward_simulations, met.summary.forward_simulations + 1);
  const SearchResult missed = search(with_two_targets(0.4, 1e-9), in_windows(3), observer);
  ASSERT_TRUE(missed.best);
  EXPECT_FALSE(missed.targets[0].reached());
  EXPECT_TRUE(missed.targets[1].reached());
  EXPECT_FALSE(is_met(missed.summary.end)) << missed.summary.sentence();
}

// Whatever its search ends by: without a goal that is none.
TEST(WindowSearch, AWindowWithoutTargetsSaysNothing) {
  Task task = with_two_targets(0.4, 0.01);
  task.targets[0].keyframe.state = 2 * kWindowSteps;
  task.targets.pop_back();
  task.effort = {.automatic = false, .value = 1e-6};
  task.targets[0].tolerance.reset();
  Keeper observer;
  const SearchResult found = search(task, in_windows(2), observer);
  EXPECT_EQ(found.summary.end, SearchEnd::kForwardRuns);
  EXPECT_EQ(found.summary.windows_spent, std::vector<int>{1}) << "the first had nothing to search for";
}

TEST(WindowSearch, AResumedOneRemembersTheWindowsBefore) {
  const Task task = with_two_targets(0.4, 1e-9);
  Keeper whole;
  const SearchResult at_once = search(task, in_windows(3), whole);
  Keeper stopping(1);
  EXPECT_TRUE(search(task, in_windows(3), stopping).summary.is_stopped());
  ASSERT_TRUE(stopping.last);
  ASSERT_EQ(stopping.last->state.windows->count, 1);
  Keeper resumed;
  const double* const start = stopping.last->at.trajectory.states.front().x.data();
  const SearchResult later = search(prepare(task), in_windows(3), resumed, std::move(stopping.last));
  EXPECT_EQ(resumed.start, start) << "the run of the checkpoint was copied";
  EXPECT_EQ(later.summary.end, at_once.summary.end);
  EXPECT_EQ(later.summary.sentence(), at_once.summary.sentence());
  const SearchResult again = search(prepare(task), in_windows(3), resumed, whole.last);
  EXPECT_EQ(again.summary.end, at_once.summary.end) << "nothing was left to do";
}

// With more runs it goes on at the first window that had too few, from the forces that it came to.
TEST(WindowSearch, MoreRunsTakeUpWhatHadTooFew) {
  const Task task = with_two_targets(0.4, 1e-4);
  Keeper poor;
  const SearchResult missed = search(task, in_windows(2), poor);
  ASSERT_TRUE(missed.best && missed.summary.is_out_of_budget);
  ASSERT_FALSE(missed.targets[0].reached());
  ASSERT_TRUE(poor.last);
  Keeper same;
  const SearchResult again = search(prepare(task), in_windows(2), same, poor.last);
  EXPECT_EQ(again.best->z, missed.best->z) << "as many runs change nothing";
  Keeper rich;
  const SearchResult met = search(prepare(task), in_windows(60), rich, poor.last);
  EXPECT_TRUE(met.reached()) << met.summary.sentence();
  EXPECT_TRUE(is_met(met.summary.end)) << met.summary.sentence();
  EXPECT_FALSE(met.summary.is_out_of_budget);
}

// Whatever is known beside it: what comes from elsewhere is for windows that were never searched.
TEST(WindowSearch, MoreRunsGoOnFromItsOwnForcesBesideAFirstGuess) {
  const PreparedTask prepared = prepare(with_two_targets(0.4, 1e-4));
  const VecX none = VecX::Zero(prepared.layout->size());
  const SavedRun guess{none,
                       rollout(*prepared.simulator, prepared.from(),
                               ControlForces(*prepared.layout, none, prepared.base()), 2 * kWindowSteps)};
  Keeper poor, rich;
  search(prepared, in_windows(2), poor);
  ASSERT_TRUE(poor.last);
  const SearchResult without = search(prepared, in_windows(4), rich, poor.last);
  SearchOptions options = in_windows(4);
  options.first_guess = &guess;
  const SearchResult beside = search(prepared, options, rich, poor.last);
  ASSERT_TRUE(without.best && beside.best);
  EXPECT_EQ(beside.best->z, without.best->z);
}

// Whether its search went through in one piece or was resumed, from states alone.
TEST(WindowSearch, ItsRunHasTheForcesThatDerivativesNeed) {
  Task task = with_two_targets(0.2, 0.02);
  task.simulator.method = StepMethod::kPrefactored;
  const PreparedTask prepared = prepare(std::move(task));
  Keeper keeper;
  const SearchResult at_once = search(prepared, in_windows(3), keeper);
  ASSERT_TRUE(keeper.last);
  Keeper again;
  const SearchResult resumed = search(prepared, in_windows(3), again, keeper.last);
  for (const SearchResult* found : {&at_once, &resumed}) {
    ASSERT_TRUE(found->best);
    const Trajectory& run = found->best->trajectory;
    ASSERT_EQ(run.forces.size(), static_cast<std::size_t>(run.step_count()));
    const ControlForces forces(*prepared.layout, found->best->z, prepared.base());
    VecX u = VecX::Zero(run.back().x.size());
    for (int n = 0; n < run.step_count(); ++n) {
      forces.force(n, u);
      EXPECT_EQ(run.forces[static_cast<std::size_t>(n)], u) << "step " << n;
    }
  }
}

// Each with the run that leads to it, so that both are one from the task's start.
TEST(WindowSearch, TellsOfTheBestRunsOfEveryWindow) {
  class Listener final : public SearchObserver {
   public:
    void on_improvement(const SearchPart& part, const Trajectory& best) override {
      windows.push_back(part.window);
      EXPECT_EQ(part.kind, SearchPart::Kind::kWindow);
      EXPECT_EQ(part.window_count, 2);
      ASSERT_TRUE(part.before);
      EXPECT_EQ(part.before->step_count(), (part.window - 1) * kWindowSteps);
      EXPECT_EQ(part.before->back().x, best.states.front().x);
      EXPECT_EQ(best.step_count(), kWindowSteps);
      if (part.window == 2) before = *part.before;
    }
    std::vector<int> windows;
    Trajectory before;  // the second window
  };
  Listener listener;
  const SearchResult found = search(with_two_targets(0.2, 0.02), in_windows(), listener);
  ASSERT_TRUE(found.best);
  EXPECT_TRUE(std::is_sorted(listener.windows.begin(), listener.windows.end()));
  EXPECT_EQ(std::set<int>(listener.windows.begin(), listener.windows.end()), (std::set<int>{1, 2}));
  EXPECT_EQ(listener.before.back().x, found.best->trajectory.states[kWindowSteps].x);
}

// The take of the windows before it is kept, and why it ends.
TEST(WindowSearch, AWindowThatCannotBeSimulatedLeavesThoseBefore) {
  Task task = with_two_targets(0.2, 0.02);
  // Behind the first window a pin catches a vertex that must not be stretched, metres away.
  task.cloth.material.strain_limit = 0.05;
  HardPin far = held(task.start.x, {0});
  far.motion.samples[0] += VecX::Constant(3, 50.0);
  far.begin_time = (kWindowSteps + 0.5) * task.grid.dt();
  task.cloth.pins.push_back(far);
  const PreparedTask prepared = prepare(std::move(task));
  Keeper observer;
  const SearchResult found = search(prepared, in_windows(), observer);
  ASSERT_FALSE(found.best);
  EXPECT_EQ(found.summary.end, SearchEnd::kStartFailed);
  EXPECT_EQ(found.summary.sentence(), "window 2 of 2 could not be simulated");
  EXPECT_GT(found.summary.iterations, 0) << "of the first window";
  ASSERT_TRUE(found.z_of_windows);
  const ControlForces forces(*prepared.layout, *found.z_of_windows, prepared.base());
  const Trajectory run = rollout(*prepared.simulator, prepared.from(), forces, 2 * kWindowSteps);
  EXPECT_GE(run.first_failure(), kWindowSteps);
  EXPECT_LT(run.first_failure(), 2 * kWindowSteps);
  const Keyframe& first = prepared.task.targets[0].keyframe;
  EXPECT_LE(measure_miss(first, states_of(run), prepared.task.length()).rms, 0.02);
}

// Where nothing is wanted any more.
TEST(WindowSearch, ForcesFadeInAWindowThatWantsNone) {
  Task task = with_two_targets(0.3, 0.02);
  task.targets.pop_back();
  task.effort.smooth_time = 10.0;
  const PreparedTask prepared = prepare(std::move(task));
  Keeper observer;
  const SearchResult found = search(prepared, in_windows(), observer);
  ASSERT_TRUE(found.reached());
  const VecX& z = found.best->z;
  const Eigen::Index size = z.size() / 8;  // of an interval
  const VecX last = z.segment(3 * size, size), first = z.segment(4 * size, size);
  EXPECT_GT(first.norm(), 0.5 * last.norm());
  EXPECT_LT((first - last).norm(), 0.3 * last.norm());
  EXPECT_LT(z.tail(size).norm(), first.norm());
}

// What a search begins with are the forces of the windows before, and behind them those of the guess.
TEST(WindowSearch, AFirstGuessIsOneInEveryWindow) {
  const PreparedTask prepared = prepare(with_two_targets(0.4, 0.01));
  Keeper observer;
  const SearchResult at_once = search(prepared, {}, observer);
  ASSERT_TRUE(at_once.reached());
  const SavedRun guess{at_once.best->z, at_once.best->trajectory};
  SearchOptions options = in_windows(2);
  options.start = SearchStart::kFree;
  options.first_guess = &guess;
  options.windows = {{0, 4}, {2, 8}};
  const SearchResult found = search(prepared, options, observer);
  EXPECT_TRUE(found.reached()) << found.summary.sentence();
}

TEST(WindowSearch, RefusesWhatWindowsCannotDo) {
  const auto refusal = [](const Task& task, const SearchOptions& options) -> std::string {
    Keeper observer;
    try {
      search(task, options, observer);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const auto says = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const Task plain = with_two_targets(0.2, 0.02);
  SearchOptions gap = in_windows();
  gap.windows = {{0, 3}, {5, 8}};
  EXPECT_TRUE(says(refusal(plain, gap), "found 5 to 8"));
  Task task = plain;
  task.pushing.knots_every = 2;
  EXPECT_TRUE(says(refusal(task, in_windows()), "windows: go neither with"));
  task = plain;
  task.pushing.when = IntervalRange{0, 6};
  EXPECT_TRUE(says(refusal(task, in_windows()), "windows: go neither with"));
  task = plain;
  task.pushing.net = NetForce::kZeroImpulse;
  EXPECT_TRUE(says(refusal(task, in_windows()), "kZeroImpulse"));
  task = plain;
  task.targets[1].velocity_tolerance = 0.1;
  EXPECT_TRUE(says(refusal(task, in_windows()), "targets[1]: found velocity_tolerance without"));
}

// A keyframe that is only measured, and missed, in the first window: what is said is of the second.
TEST(WindowSearch, WhatIsOnlyMeasuredEndsNoSearch) {
  for (const double tolerance : {1e-5, 0.01}) {
    Task task = with_two_targets(0.3, 1e-3);
    task.targets[0].keyframe.weight = 0.0;
    VecX& x = task.targets[1].keyframe.target;
    for (Eigen::Index i = 0; i < x.size(); i += 3) x[i + 2] -= 0.2 * task.start.x[i + 1];
    task.targets[1].tolerance = tolerance;
    Keeper keeper;
    const SearchResult result = search(prepare(task), in_windows(6), keeper);
    ASSERT_TRUE(result.best);
    EXPECT_FALSE(result.targets[0].reached());
    EXPECT_GT(result.best->z.norm(), 0.0);
    EXPECT_EQ(is_met(result.summary.end), result.targets[1].reached());
    EXPECT_NE(result.summary.end, SearchEnd::kMetWithoutForces);
  }
}

// All that was asked for is met when the runs are used up: more of them make the forces less, in a window
// that is taken up again as in a search of its own.
TEST(WindowSearch, AMetWindowThatRanOutIsTakenUpAgain) {
  Task task = hung_task(3, 8);
  Target& target = task.targets[0];
  target.keyframe.state = 12;
  for (Eigen::Index i = 0; i < target.keyframe.target.size(); i += 3)
    target.keyframe.target[i + 2] -= 0.1 * target.keyframe.target[i + 1];
  target.tolerance = 0.02;
  task.effort.automatic = true;
  const PreparedTask prepared = prepare(task);
  SearchOptions options;
  options.start = SearchStart::kFree;
  for (const std::vector<IntervalRange>& windows :
       {std::vector<IntervalRange>{}, std::vector<IntervalRange>{{0, 6}, {6, 8}}}) {
    options.windows = windows;
    options.max_forward_runs = 2;
    Keeper first;
    const SearchResult few = search(prepared, options, first);
    ASSERT_TRUE(few.reached());
    EXPECT_TRUE(is_met(few.summary.end));
    EXPECT_TRUE(few.summary.is_out_of_budget);
    options.max_forward_runs = 14;
    Keeper second;
    const SearchResult more = search(prepared, options, second, std::move(first.last));
    EXPECT_TRUE(more.reached());
    EXPECT_LT(more.best->z.norm(), 0.9 * few.best->z.norm());
  }
}

TEST(SearchResult, TellsOfWhatIsAskedWithoutWeight) {
  Target target = hung_task(2, 2).targets[0];
  target.keyframe.weight = 0.0;
  EXPECT_FALSE(asks_without_weight({target}));
  target.tolerance_max = 0.01;
  EXPECT_TRUE(asks_without_weight({target}));
  target.keyframe.weight = 1.0;
  EXPECT_FALSE(asks_without_weight({target}));
}

}  // namespace
}  // namespace keydrape
