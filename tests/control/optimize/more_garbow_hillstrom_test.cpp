// The optimisers on their own: sums of squares by More, Garbow & Hillstrom (1981), from their standard
// starts, through the interface that shots use. J = 1/2 sum r^2, so that J is half of the published minimum;
// four digits of it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "control/optimize/bounded.h"

namespace keydrape {
namespace {

using Residuals = std::function<VecX(const VecX&)>;

// By central differences and Richardson's extrapolation: 10 digits, which is enough here.
Eigen::MatrixXd jacobian(const Residuals& r, const VecX& z) {
  Eigen::MatrixXd J(r(z).size(), z.size());
  for (Eigen::Index j = 0; j < z.size(); ++j) {
    const double h = 1e-3 * std::max(1e-2, std::abs(z(j)));
    const auto difference = [&](double e) {
      VecX ahead = z, behind = z;
      ahead(j) += e;
      behind(j) -= e;
      return VecX((r(ahead) - r(behind)) / (2 * e));
    };
    J.col(j) = (4.0 * difference(h / 2) - difference(h)) / 3.0;
  }
  return J;
}

class LeastSquaresPoint final : public Iterate {
 public:
  LeastSquaresPoint(const Residuals& residuals, VecX z)
      : residuals_(residuals), z_(std::move(z)), r_(residuals(z_)) {}

  const VecX& z() const override { return z_; }
  double objective() const override {
    const double J = 0.5 * r_.squaredNorm();
    return std::isfinite(J) ? J : std::numeric_limits<double>::infinity();
  }
  const VecX& gradient() override {
    linearize();
    return gradient_;
  }
  const VecX& local_gradient() override { return gradient(); }
  VecX gauss_newton_product(const VecX& w) override {
    linearize();
    return J_.transpose() * (J_ * w);
  }
  std::unique_ptr<Iterate> step(const VecX& w) override {
    return std::make_unique<LeastSquaresPoint>(residuals_, z_ + w);
  }

 private:
  void linearize() {
    if (J_.size() > 0) return;
    J_ = jacobian(residuals_, z_);
    gradient_ = J_.transpose() * r_;
  }

  const Residuals& residuals_;
  VecX z_, r_, gradient_;
  Eigen::MatrixXd J_;
};

struct SumOfSquares {
  std::string name;
  VecX start;
  VecX sums_of_squares;  // at its minima, as published
  Residuals residuals;

  SumOfSquares(std::string n, VecX z, double minimum, Residuals r)
      : SumOfSquares(std::move(n), std::move(z), VecX::Constant(1, minimum), std::move(r)) {}
  SumOfSquares(std::string n, VecX z, VecX minima, Residuals r)
      : name(std::move(n)),
        start(std::move(z)),
        sums_of_squares(std::move(minima)),
        residuals(std::move(r)) {}
  std::unique_ptr<Iterate> evaluate(const VecX& z) const {
    return std::make_unique<LeastSquaresPoint>(residuals, z);
  }
  PointSource points() const {
    return [this](const VecX& z) { return evaluate(z); };
  }
};

VecX vector(std::initializer_list<double> values) {
  VecX v(values.size());
  std::copy(values.begin(), values.end(), v.begin());
  return v;
}

// The numbers are those of the paper.
std::vector<SumOfSquares> problems() {
  const VecX bard_y =
      vector({0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39});
  const VecX kowalik_y =
      vector({0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246});
  const VecX kowalik_u = vector({4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625});
  return {
      {"1 Rosenbrock", vector({-1.2, 1}), 0.0,
       [](const VecX& x) {
         return vector({10 * (x(1) - x(0) * x(0)), 1 - x(0)});
       }},
      {"5 Beale", vector({1, 1}), 0.0,
       [](const VecX& x) {
         return vector({1.5 - x(0) * (1 - x(1)), 2.25 - x(0) * (1 - x(1) * x(1)),
                        2.625 - x(0) * (1 - std::pow(x(1), 3))});
       }},
      {"7 helical valley", vector({-1, 0, 0}), 0.0,
       [](const VecX& x) {
         const double theta = std::atan(x(1) / x(0)) / (2 * EIGEN_PI) + (x(0) < 0 ? 0.5 : 0.0);
         return vector({10 * (x(2) - 10 * theta), 10 * (std::hypot(x(0), x(1)) - 1), x(2)});
       }},
      {"8 Bard", vector({1, 1, 1}), 8.21487e-3,
       [=](const VecX& x) {
         VecX r(15);
         for (int i = 0; i < 15; ++i) {
           const double u = i + 1, v = 15 - i, w = std::min(u, v);
           r(i) = bard_y(i) - (x(0) + u / (v * x(1) + w * x(2)));
         }
         return r;
       }},
      {"13 Powell singular", vector({3, -1, 0, 1}), 0.0,
       [](const VecX& x) {
         return vector({x(0) + 10 * x(1), std::sqrt(5.0) * (x(2) - x(3)), std::pow(x(1) - 2 * x(2), 2),
                        std::sqrt(10.0) * std::pow(x(0) - x(3), 2)});
       }},
      {"15 Kowalik and Osborne", vector({0.25, 0.39, 0.415, 0.39}), 3.07505e-4,
       [=](const VecX& x) {
         VecX r(11);
         for (int i = 0; i < 11; ++i) {
           const double u = kowalik_u(i);
           r(i) = kowalik_y(i) - x(0) * (u * u + u * x(1)) / (u * u + u * x(2) + x(3));
         }
         return r;
       }},
      {"16 Brown and Dennis", vector({25, 5, -5, -1}), 85822.2,
       [](const VecX& x) {
         VecX r(20);
         for (int i = 0; i < 20; ++i) {
           const double t = (i + 1) / 5.0;
           r(i) = std::pow(x(0) + t * x(1) - std::exp(t), 2) +
                  std::pow(x(2) + x(3) * std::sin(t) - std::cos(t), 2);
         }
         return r;
       }},
      {"26 trigonometric, n = 10", VecX::Constant(10, 0.1), vector({0.0, 2.79506e-5}),
       [](const VecX& x) {
         const int n = static_cast<int>(x.size());
         VecX r(n);
         for (int i = 0; i < n; ++i)
           r(i) = n - x.array().cos().sum() + (i + 1) * (1 - std::cos(x(i))) - std::sin(x(i));
         return r;
       }},
      {"32 linear, full rank, n = 5, m = 10", VecX::Ones(5), 5.0,
       [](const VecX& x) {
         VecX r = VecX::Constant(10, -2.0 / 10 * x.sum() - 1);
         r.head(5) += x;
         return r;
       }},
  };
}

OptimizerOptions options() {
  OptimizerOptions options;
  options.max_evaluations = 5000;
  options.max_iterations = 5000;
  options.gradient_tolerance = 1e-12;
  options.objective_tolerance = 0.0;
  options.cg_tolerance = 1e-12;
  options.cg_model_tolerance = 0.0;
  return options;
}

void expect_minimum(const SumOfSquares& problem, const OptimizerResult& result) {
  std::cout << problem.name << ": " << 2 * result.objective << " after " << result.evaluations
            << " evaluations, " << sentence(result.end) << "\n";
  const auto is_found = [&](double sum_of_squares) {
    const double minimum = 0.5 * sum_of_squares;
    return std::abs(result.objective - minimum) <= 1e-4 * minimum + 1e-12;
  };
  EXPECT_TRUE(std::any_of(problem.sums_of_squares.begin(), problem.sums_of_squares.end(), is_found))
      << problem.name << ": " << 2 * result.objective;
}

TEST(MoreGarbowHillstrom, GaussNewton) {
  for (SumOfSquares& problem : problems())
    expect_minimum(problem, minimize_gauss_newton(problem.evaluate(problem.start), options(),
                                                  [](const IterationRecord&) { return true; }));
}

TEST(MoreGarbowHillstrom, Lbfgs) {
  for (SumOfSquares& problem : problems())
    expect_minimum(problem, minimize_lbfgs(problem.points(), problem.evaluate(problem.start), options(),
                                           [](const IterationRecord&) { return true; }));
}

// One direction a thousand times as stiff as the others: as long as that alone is known, iterations lower the
// objective by next to nothing.
TEST(Lbfgs, AFewSmallFallsAreNotTheEnd) {
  SumOfSquares problem("stiff", VecX::Constant(6, 1e-6), 0.0, [](const VecX& x) {
    VecX r(6);
    for (int i = 0; i < 6; ++i) r(i) = (i + 1) * (x(i) - 1.0);
    r(0) = 1e3 * x(0);
    return r;
  });
  OptimizerOptions standard;
  standard.max_evaluations = 300;
  int small_falls = 0;
  double before = std::numeric_limits<double>::infinity();
  const OptimizerResult result = minimize_lbfgs(
      problem.points(), problem.evaluate(problem.start), standard, [&](const IterationRecord& record) {
        small_falls += before - record.objective < standard.objective_tolerance * before;
        before = record.objective;
        return true;
      });
  std::cout << "J = " << result.objective << " after " << result.evaluations << " evaluations, "
            << small_falls << " small falls, " << sentence(result.end) << "\n";
  EXPECT_GT(small_falls, 0);
  EXPECT_LT(result.objective, 1e-6);
}

// The minimum is 1e-6 away: the objective and its slope tell so.
TEST(Lbfgs, TheFirstTrialGoesNoFartherThanASumOfSquaresAllows) {
  SumOfSquares problem("steep", VecX::Zero(3), 0.0,
                       [](const VecX& x) { return VecX(1e6 * x - VecX::Ones(3)); });
  std::vector<int> evaluations;
  const OptimizerResult result = minimize_lbfgs(problem.points(), problem.evaluate(problem.start), options(),
                                                [&](const IterationRecord& record) {
                                                  evaluations.push_back(record.evaluations);
                                                  return true;
                                                });
  ASSERT_GT(evaluations.size(), 1u);
  EXPECT_EQ(evaluations[1], 2) << "the search along the first direction took more than one trial";
  EXPECT_LT(result.objective, 1e-12);
}

}  // namespace
}  // namespace keydrape
