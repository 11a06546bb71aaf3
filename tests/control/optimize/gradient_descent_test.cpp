// Descent along the gradient alone: L-BFGS that remembers nothing.

#include <gtest/gtest.h>

#include <cmath>

#include "control/optimize/bounded.h"
#include "tests/support/recorded_lbfgs.h"

namespace keydrape {
namespace {

using namespace test;

// 1/2 |z - (3, 1)|^2 with curvatures 1 and 20, and a miss that cannot be helped.
class Bowl final : public Point {
 public:
  explicit Bowl(VecX z) : z_(std::move(z)) {
    const Vec2 off = z_ - VecX(Vec2(3, 1));
    objective_ = 0.1 + 0.5 * (off[0] * off[0] + 20.0 * off[1] * off[1]);
    gradient_ = Vec2(off[0], 20.0 * off[1]);
  }
  const VecX& z() const override { return z_; }
  double objective() const override { return objective_; }
  const VecX& gradient() override { return gradient_; }

 private:
  VecX z_, gradient_;
  double objective_;
};

OptimizerOptions descent() {
  OptimizerOptions options;
  options.memory_pairs = 0;
  options.objective_tolerance = 1e-9;
  options.max_evaluations = 5000;
  return options;
}

RecordedLbfgs run(const OptimizerOptions& options, const VecX& start = Vec2(0, 0)) {
  return record_lbfgs<Bowl>(options, start);
}

TEST(GradientDescent, GoesAlongTheGradientByArmijosRule) {
  const RecordedLbfgs taken = run(descent());
  ASSERT_GT(taken.path.size(), 5u);
  double last = 0.0;
  for (std::size_t k = 1; k < taken.path.size(); ++k) {
    Bowl before(taken.path[k - 1]), after(taken.path[k]);
    const VecX way = after.z() - before.z();
    const double step = way.norm() / before.gradient().norm();
    EXPECT_LE((way + step * before.gradient()).norm(), 1e-12 * way.norm() + 1e-15) << k;
    EXPECT_LE(after.objective(), before.objective() - 1e-4 * step * before.gradient().squaredNorm());
    // From twice the last one it was halved, or not.
    if (k > 1) {
      EXPECT_NEAR(std::log2(step / last), std::round(std::log2(step / last)), 1e-9) << k;
    }
    EXPECT_LE(step, k == 1 ? 1.0 / before.gradient().norm() + 1e-12 : 2.0 * last + 1e-12);
    last = step;
  }
  EXPECT_LE((taken.result.z - VecX(Vec2(3, 1))).norm(), 1e-3);
}

// It zigzags where curvatures differ, as textbooks say: the method with pairs needs a fraction.
TEST(GradientDescent, NeedsMoreIterationsThanWithPairs) {
  OptimizerOptions pairs = descent();
  pairs.memory_pairs = 10;
  EXPECT_GT(run(descent()).path.size(), 2 * run(pairs).path.size());
}

TEST(GradientDescent, GoesOnToTheSameBits) {
  const RecordedLbfgs whole = run(descent());
  const std::size_t half = whole.progress.size() / 2;
  ASSERT_GT(half, 2u);
  OptimizerOptions options = descent();
  OptimizerProgress stood = whole.progress[half];
  options.resume = &stood;
  const RecordedLbfgs rest = run(options, whole.path[half]);
  ASSERT_EQ(rest.path.size(), whole.path.size() - half - 1);
  for (std::size_t k = 0; k < rest.path.size(); ++k) EXPECT_EQ(rest.path[k], whole.path[half + 1 + k]);
  EXPECT_EQ(rest.result.z, whole.result.z);
  EXPECT_EQ(stood.variables.size(), 0) << "it has been used, and takes memory";
}

}  // namespace
}  // namespace keydrape
