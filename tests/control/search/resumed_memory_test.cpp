// What a search that goes on keeps in memory: its own runs, as one that was never broken off, and not those
// of the checkpoint beside them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "control/search/search.h"
#include "core/contact/pairs/exemptions.h"
#include "tests/support/hung_task.h"

namespace keydrape {
namespace {

using namespace test;

// Stops after so many checkpoints, and keeps the last, with a best run of its own.
class CheckpointKeeper final : public SearchObserver {
 public:
  explicit CheckpointKeeper(int checkpoints) : checkpoints_(checkpoints) {}
  void on_checkpoint(const SearchPart&, const SearchState& state, const RunView& at,
                     const RunView*) override {
    most_pairs = std::max(most_pairs, state.progress.pairs.size());
    const SavedRun run{at.z, at.trajectory};
    last.emplace(SearchCheckpoint{state, run, run});
    --checkpoints_;
  }
  bool should_stop() override { return checkpoints_ <= 0; }
  std::optional<SearchCheckpoint> last;
  std::size_t most_pairs = 0;  // that any of them had

 private:
  int checkpoints_;
};

// Counts the states that share a mark in the first sweep, before anything is simulated, and stops.
class Counter final : public SearchObserver {
 public:
  explicit Counter(std::weak_ptr<const Exemptions> mark) : mark_(std::move(mark)) {}
  void on_progress(const SearchPosition&, int) override {
    if (!states) states = mark_.use_count();
  }
  bool should_stop() override { return true; }
  std::optional<long> states;

 private:
  std::weak_ptr<const Exemptions> mark_;
};

TEST(ResumedMemory, HoldsTheRunsOfACheckpointOnce) {
  Task task = hung_task(4, 6);
  VecX& x = task.targets[0].keyframe.target;
  for (Eigen::Index i = 0; i < x.size(); i += 3) x[i + 2] -= 0.3 * x[i + 1];
  const PreparedTask prepared = prepare(task);
  for (const SearchMethod method : {SearchMethod::kGaussNewton, SearchMethod::kLbfgs}) {
    SearchOptions options;
    options.method = method;
    options.start = SearchStart::kFree;
    CheckpointKeeper first(1);
    search(prepared, options, first);
    ASSERT_TRUE(first.last);
    // Without contact exemptions change nothing; all copies of a state share theirs.
    auto mark = std::make_shared<const Exemptions>(std::vector<CrossingParts>{}, std::vector<NearPair>{},
                                                   std::vector<NearPair>{});
    Counter counter(mark);
    SearchCheckpoint& checkpoint = *first.last;
    for (SavedRun* run : {&checkpoint.at, &*checkpoint.best})
      for (State& state : run->trajectory.states) state.exempt = mark;
    mark.reset();
    search(prepared, options, counter, std::move(checkpoint));
    ASSERT_TRUE(counter.states);
    // Where it stands, and the best so far; a step that is linearised may copy the state that it starts from.
    EXPECT_GE(*counter.states, 2 * (task.grid.step_count() + 1));
    EXPECT_LT(*counter.states, 3 * (task.grid.step_count() + 1));
  }
}

TEST(ResumedMemory, HoldsNoMorePairsThanItHasRoomFor) {
  Task task = hung_task(3, 6);
  VecX& x = task.targets[0].keyframe.target;
  for (Eigen::Index i = 0; i < x.size(); i += 3) x[i + 2] -= 0.3 * x[i + 1];
  task.effort.value = 1e-6;
  const PreparedTask prepared = prepare(task);
  SearchOptions options;
  options.method = SearchMethod::kLbfgs;
  options.start = SearchStart::kFree;
  CheckpointKeeper first(14);
  search(prepared, options, first);
  options.memory_bytes = std::ceil(plan_search_memory(prepared, options).needed) + 1.0;
  const int pairs = plan_search_memory(prepared, options).memory_pairs;
  ASSERT_GT(first.most_pairs, static_cast<std::size_t>(pairs));
  CheckpointKeeper resumed(5);
  search(prepared, options, resumed, std::move(first.last));
  EXPECT_EQ(resumed.most_pairs, static_cast<std::size_t>(pairs));
}

TEST(SearchOptions, CountMemoryThatNoMachineHas) {
  SearchOptions options;
  EXPECT_EQ(options.whole_memory_bytes(), 4'000'000'000u);
  options.memory_bytes = 1e30;
  EXPECT_EQ(options.whole_memory_bytes(), 1'000'000'000'000'000'000u);
}

}  // namespace
}  // namespace keydrape
