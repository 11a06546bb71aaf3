// What an observer throws ends the search, whatever is under way.

#include <gtest/gtest.h>

#include <stdexcept>

#include "control/search/search.h"
#include "tests/support/hung_task.h"

namespace keydrape {
namespace {

using namespace test;

// Throws once it has been asked so often whether to stop.
class Thrower final : public SearchObserver {
 public:
  explicit Thrower(int patience) : patience_(patience) {}
  bool should_stop() override {
    if (++asked > patience_) throw std::runtime_error("the disk is full");
    return false;
  }
  int asked = 0;

 private:
  int patience_;
};

TEST(SearchObservers, WhatTheyThrowGetsOut) {
  Task task = hung_task(4, 6);
  VecX& x = task.targets[0].keyframe.target;
  for (Eigen::Index i = 0; i < x.size(); i += 3) x[i + 2] -= 0.3 * x[i + 1];
  for (const SearchMethod method :
       {SearchMethod::kGaussNewton, SearchMethod::kLbfgs, SearchMethod::kDescent}) {
    SearchOptions options;
    options.method = method;
    options.start = SearchStart::kFree;
    options.max_forward_runs = 6;
    Thrower whole(1'000'000);
    search(task, options, whole);
    // At any moment, line searches among them.
    for (int share = 1; share < 10; ++share) {
      Thrower some(whole.asked * share / 10);
      EXPECT_THROW(search(task, options, some), std::runtime_error)
          << static_cast<int>(method) << " " << share;
    }
  }
}

// Those of a last iteration among them that led nowhere, as a search counts them that goes on from there.
TEST(SearchObservers, AreToldOfEveryProduct) {
  class Counter final : public SearchObserver {
   public:
    void on_checkpoint(const SearchPart&, const SearchState& state, const RunView&, const RunView*) override {
      in_checkpoint = state.progress.cg_iterations;
    }
    void on_iteration(const SearchIteration& iteration) override {
      if (!iteration.is_result) in_iteration = iteration.cg_iterations;
    }
    int in_checkpoint = 0, in_iteration = 0;
  };
  Task task = hung_task(4, 6);
  VecX& x = task.targets[0].keyframe.target;
  for (Eigen::Index i = 0; i < x.size(); i += 3) x[i + 2] -= 0.9 * x[i + 1];
  task.effort = {.automatic = true, .value = 1e-4};
  task.targets[0].tolerance = 1e-4;
  SearchOptions options;
  options.start = SearchStart::kFree;
  Counter counter;
  const SearchResult result = search(task, options, counter);
  ASSERT_LT(counter.in_iteration, counter.in_checkpoint);
  EXPECT_EQ(result.summary.cg_iterations, counter.in_checkpoint);
}

}  // namespace
}  // namespace keydrape
