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

// The same in variables q, z = q/scale, with the metric that makes up for it.
class Stretched final : public Iterate {
 public:
  explicit Stretched(int size) : scale_(VecX::LinSpaced(size, 1.0, 30.0)), inner_(size) {
    g_ = inner_.local_gradient().cwiseQuotient(scale_);
  }
  const VecX& z() const override { return inner_.z(); }
  double objective() const override { return 0.0; }
  const VecX& gradient() override { return g_; }
  const VecX& local_gradient() override { return g_; }
  VecX gauss_newton_product(const VecX& q) override {
    return inner_.gauss_newton_product(q.cwiseQuotient(scale_)).cwiseQuotient(scale_);
  }
  VecX metric_product(const VecX& q) override { return q.cwiseQuotient(scale_.cwiseAbs2()); }
  VecX metric_solve(const VecX& q_bar) override { return q_bar.cwiseProduct(scale_.cwiseAbs2()); }
  std::unique_ptr<Iterate> step(const VecX&) override { return nullptr; }
  VecX in_z(const VecX& q) const { return q.cwiseQuotient(scale_); }

 private:
  VecX scale_, g_;
  Quadratic inner_;
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
    const std::optional<TrustRegionStep> shortened = path.shortened(at, radius);
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

TEST(SteihaugPath, AMetricUndoesAChangeOfVariables) {
  Quadratic plain(40);
  Stretched stretched(40);
  SteihaugPath plain_path(60), stretched_path(60);
  for (const double radius : {std::numeric_limits<double>::infinity(), 0.5, 0.01}) {
    const TrustRegionStep a = plain_path.solve(plain, radius, OptimizerOptions(), kFar),
                          b = stretched_path.solve(stretched, radius, OptimizerOptions(), kFar);
    EXPECT_EQ(a.iterations, b.iterations) << radius;
    EXPECT_LE((a.p - stretched.in_z(b.p)).norm(), 1e-5 * a.p.norm()) << radius;
    EXPECT_NEAR(a.length, b.length, 1e-7 * a.length) << radius;
    const std::optional<TrustRegionStep> c = plain_path.shortened(plain, 0.3 * a.length),
                                         d = stretched_path.shortened(stretched, 0.3 * a.length);
    ASSERT_TRUE(c && d) << radius;
    EXPECT_LE((c->p - stretched.in_z(d->p)).norm(), 1e-5 * c->p.norm()) << radius;
    EXPECT_NEAR(d->length, 0.3 * a.length, 1e-7 * a.length) << radius;
  }
}

TEST(SteihaugPath, SaysWhereItWasNotRemembered) {
  Quadratic at(40);
  SteihaugPath path(2);
  const TrustRegionStep whole =
      path.solve(at, std::numeric_limits<double>::infinity(), OptimizerOptions(), kFar);
  EXPECT_FALSE(path.shortened(at, 0.99 * whole.p.norm()).has_value());
  EXPECT_TRUE(path.shortened(at, 1e-6 * whole.p.norm()).has_value());
  EXPECT_FALSE(SteihaugPath(0).shortened(at, 1.0).has_value());
}

}  // namespace
}  // namespace keydrape
