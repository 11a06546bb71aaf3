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

}  // namespace
}  // namespace keydrape
