// The path of conjugate gradients, followed back to a smaller radius, ends where a solve within
// that radius does.

#include "control/optimize/steihaug.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace keydrape {
namespace {

// 1/2 w.A w + g.w with A = diag(1 .. 1000) and a rank of couplings; counts products.
class Quadratic final : public Iterate {
 public:
  explicit Quadratic(int size) : z_(VecX::Zero(size)), g_(size), diagonal_(size), coupling_(size) {
    for (int i = 0; i < size; ++i) {
      g_(i) = std::cos(3.0 * i + 0.5);
      diagonal_(i) = std::pow(1000.0, i / (size - 1.0));
      coupling_(i) = std::sin(2.0 * i);
    }
  }
  const VecX& z() const override { return z_; }
  double objective() const override { return 0.0; }
  const VecX& gradient() override { return g_; }
  const VecX& local_gradient() override { return g_; }
  VecX gauss_newton_product(const VecX& w) override {
    ++products;
    return diagonal_.cwiseProduct(w) + coupling_.dot(w) * coupling_;
  }
  std::unique_ptr<Iterate> step(const VecX&) override { return nullptr; }

  int products = 0;

 private:
  VecX z_, g_, diagonal_, coupling_;
};

constexpr double kFar = 1e-8;  // down to where iterations hardly gain anything

TEST(SteihaugPath, ShortenedIsTheSolutionForTheSmallerRadius) {
  Quadratic at(40);
  SteihaugPath path(60);
  const TrustRegionStep whole =
      path.solve(at, std::numeric_limits<double>::infinity(), OptimizerOptions(), kFar);
  ASSERT_GT(whole.iterations, 10);
  const int products = at.products;
  for (const double share : {0.9, 0.25, 0.0625, 1e-3, 1e-6}) {
    const double radius = share * whole.p.norm();
    const std::optional<TrustRegionStep> shortened = path.shortened(radius);
    ASSERT_TRUE(shortened.has_value()) << share;
    EXPECT_EQ(at.products, products) << share;
    Quadratic again(40);
    const TrustRegionStep fresh = SteihaugPath(0).solve(again, radius, OptimizerOptions(), kFar);
    EXPECT_LE((shortened->p - fresh.p).norm(), 1e-11 * radius) << share;
    EXPECT_NEAR(shortened->predicted_fall, fresh.predicted_fall, 1e-11 * fresh.predicted_fall) << share;
    EXPECT_TRUE(shortened->on_boundary && fresh.on_boundary) << share;
    EXPECT_EQ(shortened->iterations, 0) << share;
  }
}

TEST(SteihaugPath, SaysWhereItWasNotRemembered) {
  Quadratic at(40);
  SteihaugPath path(2);
  const TrustRegionStep whole =
      path.solve(at, std::numeric_limits<double>::infinity(), OptimizerOptions(), kFar);
  EXPECT_FALSE(path.shortened(0.99 * whole.p.norm()).has_value());
  EXPECT_TRUE(path.shortened(1e-6 * whole.p.norm()).has_value());
  EXPECT_FALSE(SteihaugPath(0).shortened(1.0).has_value());
}

}  // namespace
}  // namespace keydrape
