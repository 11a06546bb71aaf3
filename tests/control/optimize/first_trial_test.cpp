// What the first iteration of a search would try first.

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <vector>

#include "control/optimize/optimizer.h"

namespace keydrape {
namespace {

// |z - goal|^2/2 + weight |z|^2/2, a quadratic that the model knows exactly.
class Pulled final : public Iterate {
 public:
  Pulled(VecX z, VecX goal, double weight) : z_(std::move(z)), goal_(std::move(goal)), weight_(weight) {
    measure();
  }
  const VecX& z() const override { return z_; }
  double objective() const override { return objective_; }
  const VecX& gradient() override {
    ++gradients;
    return gradient_;
  }
  const VecX& local_gradient() override { return gradient_; }
  VecX gauss_newton_product(const VecX& w) override { return (1.0 + weight_) * w; }
  std::unique_ptr<Iterate> step(const VecX& w) override {
    return std::make_unique<Pulled>(z_ + w, goal_, weight_);
  }
  void weigh(double weight) {
    weight_ = weight;
    measure();
  }
  void fail() { objective_ = std::numeric_limits<double>::infinity(); }
  static inline int gradients = 0;  // asked for, of all points

 private:
  void measure() {
    objective_ = 0.5 * (z_ - goal_).squaredNorm() + 0.5 * weight_ * z_.squaredNorm();
    gradient_ = z_ - goal_ + weight_ * z_;
  }

  VecX z_, goal_, gradient_;
  double weight_, objective_ = 0.0;
};

// Makes |z| weigh another time as much, so many times.
class Heavier final : public GoalPolicy {
 public:
  explicit Heavier(int times) : times_(times) {}
  Verdict before_trial(Point& at, const Proposal&) override {
    ++asked;
    if (asked > times_) return Verdict::kNone;
    static_cast<Pulled&>(at).weigh(1.0 + asked);
    return Verdict::kChanged;
  }
  Verdict after_step(Point&, StepKind) override { return Verdict::kNone; }
  int asked = 0;

 private:
  int times_;
};

TEST(FirstTrial, IsTheMinimumOfTheModel) {
  const VecX goal = VecX::LinSpaced(5, 1.0, 3.0);
  Pulled at(VecX::Zero(5), goal, 1.0);
  const std::unique_ptr<Iterate> trial = first_trial(at, OptimizerOptions());
  ASSERT_TRUE(trial);
  EXPECT_LE((trial->z() - 0.5 * goal).norm(), 1e-12);
  EXPECT_EQ(at.z(), VecX::Zero(5));
}

TEST(FirstTrial, ThePolicyChangesTheObjectiveAsOftenAsItMay) {
  const VecX goal = VecX::LinSpaced(5, 1.0, 3.0);
  OptimizerOptions options;
  for (const int times : {1, 3, 100}) {
    Pulled at(VecX::Zero(5), goal, 1.0);
    Heavier policy(times);
    options.policy = &policy;
    const std::unique_ptr<Iterate> trial = first_trial(at, options);
    ASSERT_TRUE(trial);
    const int changes = std::min(times, options.max_reconsiderations);
    EXPECT_LE((trial->z() - goal / (2.0 + changes)).norm(), 1e-12) << times;
    EXPECT_EQ(policy.asked, std::min(times + 1, options.max_reconsiderations)) << times;
  }
}

// Which is a sweep: the model knows another objective of the same variables by its images.
TEST(FirstTrial, AChangedObjectiveIsAskedForNoGradient) {
  const VecX goal = VecX::LinSpaced(5, 1.0, 3.0);
  std::vector<int> gradients;
  for (const int times : {0, 3}) {
    Heavier policy(times);
    OptimizerOptions options;
    options.policy = &policy;
    options.max_iterations = 1;
    Pulled::gradients = 0;
    minimize_gauss_newton(std::make_unique<Pulled>(VecX::Zero(5), goal, 1.0), options,
                          [](const IterationRecord&) { return true; });
    EXPECT_GT(policy.asked, times);
    gradients.push_back(Pulled::gradients);
  }
  EXPECT_GT(gradients[0], 0);
  EXPECT_EQ(gradients[1], gradients[0]);
}

TEST(FirstTrial, ThereIsNoneWithoutASlopeOrAnObjective) {
  const VecX goal = VecX::LinSpaced(5, 1.0, 3.0);
  Pulled flat(0.5 * goal, goal, 1.0), failed(VecX::Zero(5), goal, 1.0);
  failed.fail();
  EXPECT_FALSE(first_trial(flat, OptimizerOptions()));
  EXPECT_FALSE(first_trial(failed, OptimizerOptions()));
}

}  // namespace
}  // namespace keydrape
