// A trial that cannot be evaluated (a simulation that blew up) is rejected; the search goes on and
// never gets worse.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "control/optimize/bounded.h"

namespace keydrape {
namespace {

// f(z) = 1/2 |r|^2, r = (10 (z_2 - z_1^2), 1 - z_1) (Rosenbrock 1960), which exists only where f is at most
// kLimit: full steps leave that region.
class FragileValley final : public Iterate {
 public:
  static constexpr double kLimit = 12.0;  // on f

  FragileValley(VecX z, int& failures) : z_(std::move(z)), failures_(failures) {
    r_ = Vec2(10.0 * (z_[1] - z_[0] * z_[0]), 1.0 - z_[0]);
    J_ << -20.0 * z_[0], 10.0, -1.0, 0.0;
    gradient_ = J_.transpose() * r_;
    if (!is_finite()) ++failures_;
  }

  const VecX& z() const override { return z_; }
  double objective() const override {
    return is_finite() ? value() : std::numeric_limits<double>::infinity();
  }
  const VecX& gradient() override {
    EXPECT_TRUE(is_finite()) << "the gradient of a run that failed was asked for";
    return gradient_;
  }
  const VecX& local_gradient() override { return gradient(); }
  VecX gauss_newton_product(const VecX& w) override { return J_.transpose() * (J_ * w); }
  std::unique_ptr<Iterate> step(const VecX& w) override {
    return std::make_unique<FragileValley>(z_ + w, failures_);
  }

 private:
  double value() const { return 0.5 * r_.squaredNorm(); }
  bool is_finite() const { return value() < kLimit + 0.2; }

  VecX z_, gradient_;
  Vec2 r_;
  Eigen::Matrix2d J_;
  int& failures_;
};

class FragileProblem {
 public:
  int failures = 0;
  std::unique_ptr<Iterate> evaluate(const VecX& z) { return std::make_unique<FragileValley>(z, failures); }
};

// The objectives of accepted iterates.
template <class Minimize>
std::vector<double> history(const Minimize& minimize) {
  std::vector<double> objectives;
  minimize([&](const IterationRecord& record) {
    objectives.push_back(record.objective);
    return true;
  });
  return objectives;
}

void expect_descent_in_spite_of(int failures, const std::vector<double>& objectives) {
  EXPECT_GT(failures, 0) << "nothing failed: the test tests nothing";
  ASSERT_GT(objectives.size(), 3u);
  for (std::size_t k = 1; k < objectives.size(); ++k) EXPECT_LE(objectives[k], objectives[k - 1]) << k;
  EXPECT_LT(objectives.back(), 1e-10);
}

const VecX kStart = Vec2(-1.2, 1.0);
const VecX kOnTheFloor = Vec2(3.0, 9.0);  // of the valley: along the gradient its wall is near

TEST(RejectedTrial, GaussNewtonShortensItsStep) {
  FragileProblem problem;
  OptimizerOptions options;
  options.cg_model_tolerance = 1e-12;
  const auto objectives = history([&](const IterationObserver& observer) {
    minimize_gauss_newton(problem.evaluate(kStart), options, observer);
  });
  expect_descent_in_spite_of(problem.failures, objectives);
}

TEST(RejectedTrial, LbfgsShortensItsStep) {
  FragileProblem problem;
  OptimizerOptions options;
  options.max_evaluations = 500;
  options.objective_tolerance = 0.0;
  const auto objectives = history([&](const IterationObserver& observer) {
    minimize_lbfgs([&](const VecX& z) { return problem.evaluate(z); }, problem.evaluate(kOnTheFloor), options,
                   observer);
  });
  expect_descent_in_spite_of(problem.failures, objectives);
}

// All trials fail: the start stands, after a bounded number of them.
TEST(RejectedTrial, NothingWorks) {
  class Nothing final : public Iterate {
   public:
    explicit Nothing(bool is_start) : is_start_(is_start) {}
    const VecX& z() const override { return z_; }
    double objective() const override { return is_start_ ? 1.0 : std::numeric_limits<double>::infinity(); }
    const VecX& gradient() override { return gradient_; }
    const VecX& local_gradient() override { return gradient_; }
    VecX gauss_newton_product(const VecX& w) override { return w; }
    std::unique_ptr<Iterate> step(const VecX&) override { return std::make_unique<Nothing>(false); }

   private:
    bool is_start_;
    VecX z_ = VecX::Zero(2), gradient_ = VecX::Ones(2);
  };
  const auto accept = [](const IterationRecord&) { return true; };
  const OptimizerResult result = minimize_gauss_newton(std::make_unique<Nothing>(true), {}, accept);
  EXPECT_EQ(result.end, OptimizerEnd::kNoDescent);
  EXPECT_EQ(result.objective, 1.0);
  EXPECT_LE(result.evaluations, 13);
}

// f(z) = 1/2 |z|^2, whose gradient, or whose model alone, cannot be computed from some point on.
class Unknown final : public BoundedIterate {
 public:
  struct From {
    double gradient, model;  // |z| below which there is none
  };
  Unknown(VecX z, From from) : z_(std::move(z)), from_(from), gradient_(known(z_, from.gradient)) {}
  const VecX& z() const override { return z_; }
  double objective() const override { return 0.5 * z_.squaredNorm(); }
  const VecX& gradient() override { return gradient_; }
  const VecX& local_gradient() override { return gradient_; }
  VecX gauss_newton_product(const VecX& w) override {
    return known(4.0 * w, from_.model);
  }  // steps are short
  std::unique_ptr<Iterate> step(const VecX& w) override { return std::make_unique<Unknown>(z_ + w, from_); }
  VecX model_product(const VecX& dz) override { return gauss_newton_product(dz); }
  VecX change(const VecX& w, const Face&) override { return w; }
  VecX local(const VecX& z_bar, const Face&) override { return z_bar; }
  VecX face_product(const VecX& w, const Face&) override { return gauss_newton_product(w); }
  std::unique_ptr<BoundedIterate> step_to(const VecX& dz) override {
    return std::make_unique<Unknown>(z_ + dz, from_);
  }

 private:
  VecX known(VecX v, double from) const {
    if (z_.norm() < from) v.setConstant(std::numeric_limits<double>::quiet_NaN());
    return v;
  }
  VecX z_;
  From from_;
  VecX gradient_;
};

// Where derivatives cannot be computed, the search ends there, says so, and keeps what it has.
TEST(NoGradient, EndsTheSearchAtTheBestPoint) {
  const auto go_on = [](const IterationRecord&) { return true; };
  const VecX z = Vec3(2.0, 1.0, -2.0);  // |z| = 3
  const BallBounds bounds{VecX::Constant(1, 10.0), VecX::Zero(3)};
  for (const Unknown::From from : {Unknown::From{4.0, 0.0}, {2.0, 0.0}, {0.0, 4.0}, {0.0, 2.0}}) {
    const bool starts_well = std::max(from.gradient, from.model) < 3.0;
    for (const OptimizerResult& result :
         {minimize_gauss_newton(std::make_unique<Unknown>(z, from), {}, go_on),
          minimize_projected_gauss_newton(std::make_unique<Unknown>(z, from), bounds, {}, go_on)}) {
      EXPECT_EQ(result.end, OptimizerEnd::kNoGradient);
      EXPECT_EQ(result.iterations > 0, starts_well);
      EXPECT_EQ(result.objective, 0.5 * result.z.squaredNorm());
      EXPECT_LE(result.evaluations, 5);
    }
  }
  const PointSource evaluate = [](const VecX& y) {
    return std::make_unique<Unknown>(y, Unknown::From{2.0, 0.0});
  };
  const OptimizerResult lbfgs = minimize_lbfgs(evaluate, evaluate(z), {}, go_on);
  EXPECT_GE(lbfgs.z.norm(), 2.0) << "a point without a gradient was accepted";
  EXPECT_EQ(minimize_lbfgs(evaluate, evaluate(0.5 * z), {}, go_on).end, OptimizerEnd::kNoGradient);
}

// f(z) = 1/2 z.Az, whose gradient is there while what the model takes of a sweep is not.
class HalfKnown final : public Iterate {
 public:
  enum class Lacks { kGradient, kOfImage };
  HalfKnown(VecX z, Lacks lacks) : z_(std::move(z)), lacks_(lacks), gradient_(times_a(z_)) {
    local_gradient_ = known(gradient_, Lacks::kGradient);
  }
  const VecX& z() const override { return z_; }
  double objective() const override { return 0.5 * z_.dot(gradient_); }
  const VecX& gradient() override { return gradient_; }
  const VecX& local_gradient() override { return local_gradient_; }
  VecX gauss_newton_product(const VecX& w) override { return times_a(w); }
  VecX image_gradient() override { return gradient_; }
  VecX of_image(const VecX& image_bar) override { return known(image_bar, Lacks::kOfImage); }
  std::unique_ptr<Iterate> step(const VecX& w) override {
    return std::make_unique<HalfKnown>(z_ + w, lacks_);
  }

 private:
  static VecX times_a(const VecX& w) { return Vec3(1.0, 10.0, 100.0).cwiseProduct(w); }
  VecX known(VecX v, Lacks lacks) const {
    if (lacks == lacks_) v[1] = std::numeric_limits<double>::quiet_NaN();
    return v;
  }
  VecX z_;
  Lacks lacks_;
  VecX gradient_, local_gradient_;
};

// What is not known is not small: such a model would look as if it were at its minimum.
TEST(NoGradient, OfTheModelAloneEndsTheSearchBeforeATrial) {
  const auto go_on = [](const IterationRecord&) { return true; };
  for (const auto lacks : {HalfKnown::Lacks::kGradient, HalfKnown::Lacks::kOfImage}) {
    const OptimizerResult result =
        minimize_gauss_newton(std::make_unique<HalfKnown>(Vec3(2.0, 1.0, -2.0), lacks), {}, go_on);
    EXPECT_EQ(result.end, OptimizerEnd::kNoGradient);
    EXPECT_EQ(result.evaluations, 1);
  }
}

}  // namespace
}  // namespace keydrape
