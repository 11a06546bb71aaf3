// L-BFGS, and descent, that go on from where they stood: the bits of a run that was never broken off, though
// points round what they are asked for, as unknowns that are projected do.

#include <gtest/gtest.h>

#include "tests/support/recorded_lbfgs.h"

namespace keydrape {
namespace {

using namespace test;

// A narrow valley at (3, 1, -2), of what z is in single precision.
class RoundedPoint final : public Point {
 public:
  explicit RoundedPoint(const VecX& z) : z_(z.cast<float>().cast<double>()) {
    const Vec3 off = z_ - VecX(Vec3(3, 1, -2)), curvature(1, 7, 50);
    objective_ = 0.1 + 0.5 * off.dot(curvature.cwiseProduct(off));
    gradient_ = curvature.cwiseProduct(off);
  }
  const VecX& z() const override { return z_; }
  double objective() const override { return objective_; }
  const VecX& gradient() override { return gradient_; }

 private:
  VecX z_, gradient_;
  double objective_;
};

RecordedLbfgs go(OptimizerOptions options, const VecX& from) {
  options.objective_tolerance = 1e-9;
  options.max_iterations = 12;
  return record_lbfgs<RoundedPoint>(options, from);
}

class ResumedLbfgs : public testing::TestWithParam<int> {};  // memory_pairs

TEST_P(ResumedLbfgs, GoesOnToTheSameBitsFromEveryIteration) {
  OptimizerOptions options;
  options.memory_pairs = GetParam();
  const RecordedLbfgs whole = go(options, Vec3(0.1, 0.2, 0.3));
  ASSERT_GT(whole.progress.size(), 5u);
  ASSERT_EQ(whole.path.size(), whole.progress.size());
  EXPECT_NE(whole.progress[1].variables, whole.path[1]) << "nothing was rounded";
  for (std::size_t k = 0; k < whole.progress.size(); ++k) {
    OptimizerProgress stood = whole.progress[k];
    options.resume = &stood;
    const RecordedLbfgs rest = go(options, whole.path[k]);
    ASSERT_EQ(rest.path.size(), whole.path.size() - k - 1) << k;
    for (std::size_t j = 0; j < rest.path.size(); ++j)
      EXPECT_EQ(rest.path[j], whole.path[k + 1 + j]) << k << ' ' << j;
    EXPECT_EQ(rest.result.z, whole.result.z) << k;
    EXPECT_EQ(rest.result.objective, whole.result.objective) << k;
    EXPECT_EQ(rest.result.end, whole.result.end) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(PairsAndNone, ResumedLbfgs, testing::Values(10, 0));

}  // namespace
}  // namespace keydrape
