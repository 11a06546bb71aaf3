// The minimum of a model in a growing subspace: that of conjugate gradients without a bound, the same for a
// smaller radius without a product, and for another goal with one.

#include "control/optimize/model_subspace.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
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

// A sum of two squares, f |X w + a|^2 / 2 + |w + b|^2 / 2, whose weight f changes. Counts would-be sweeps.
class Weighted final : public Iterate {
 public:
  explicit Weighted(int size) : z_(VecX::Zero(size)), a_(size), b_(size), X_(size, size) {
    for (int i = 0; i < size; ++i) {
      a_(i) = std::cos(3.0 * i + 0.5);
      b_(i) = 0.1 * std::sin(7.0 * i);
      for (int j = 0; j < size; ++j) X_(i, j) = std::sin(1.3 * i * j + i) * std::pow(0.7, i);
    }
  }
  const VecX& z() const override { return z_; }
  double objective() const override { return 0.0; }
  const VecX& gradient() override { return local_gradient(); }
  const VecX& local_gradient() override {
    ++sweeps;
    return g_ = f * X_.transpose() * a_ + b_;
  }
  VecX gauss_newton_product(const VecX& w) override { return of_image(weighed(image(w))); }
  VecX image(const VecX& w) override {
    ++sweeps;
    VecX image(2 * w.size());
    image << X_ * w, w;
    return image;
  }
  VecX image_gradient() override {
    VecX bar(2 * a_.size());
    bar << f * a_, b_;
    return bar;
  }
  VecX weighed(const VecX& image) override {
    VecX bar = image;
    bar.head(a_.size()) *= f;
    return bar;
  }
  VecX of_image(const VecX& bar) override {
    ++sweeps;
    return X_.transpose() * bar.head(a_.size()) + bar.tail(a_.size());
  }
  std::unique_ptr<Iterate> step(const VecX&) override { return nullptr; }
  VecX minimum() const {
    const Eigen::MatrixXd A = f * X_.transpose() * X_ + Eigen::MatrixXd::Identity(z_.size(), z_.size());
    return -A.ldlt().solve(f * X_.transpose() * a_ + b_);
  }

  double f = 100.0;
  int sweeps = 0;

 private:
  VecX z_, a_, b_, g_;
  Eigen::MatrixXd X_;
};

constexpr double kFar = 1e-8;  // down to where vectors hardly gain anything
constexpr double kNoBound = std::numeric_limits<double>::infinity();

// The minimum of the model over |w| <= radius: on the boundary (A + lambda) w = -g.
VecX constrained(Quadratic& at, double radius) {
  const Eigen::Index size = at.z().size();
  Eigen::MatrixXd A(size, size);
  for (Eigen::Index i = 0; i < size; ++i) A.col(i) = at.gauss_newton_product(VecX::Unit(size, i));
  double low = 0.0, high = at.local_gradient().norm() / radius;
  VecX w;
  for (int k = 0; k < 200; ++k) {
    const double lambda = 0.5 * (low + high);
    w = -(A + lambda * Eigen::MatrixXd::Identity(size, size)).ldlt().solve(at.local_gradient());
    (w.norm() > radius ? low : high) = lambda;
  }
  return w;
}

TEST(ModelSubspace, ShortenedIsTheSolutionForTheSmallerRadius) {
  Quadratic at(40);
  ModelSubspace subspace(60);
  const TrustRegionStep whole = subspace.solve(at, kNoBound, OptimizerOptions(), 1e-14);
  ASSERT_GT(whole.iterations, 10);
  EXPECT_FALSE(whole.on_boundary);
  const int products = at.products;
  for (const double share : {0.9, 0.25, 0.0625, 1e-3, 1e-6}) {
    const double radius = share * whole.p.norm();
    const std::optional<TrustRegionStep> shortened = subspace.shortened(radius);
    ASSERT_TRUE(shortened.has_value()) << share;
    EXPECT_EQ(at.products, products) << share;
    Quadratic again(40);
    EXPECT_LE((shortened->p - constrained(again, radius)).norm(), 1e-6 * radius) << share;
    EXPECT_NEAR(shortened->length, radius, 1e-11 * radius) << share;
    EXPECT_TRUE(shortened->on_boundary) << share;
    EXPECT_EQ(shortened->iterations, 0) << share;
    const TrustRegionStep fresh = ModelSubspace(60).solve(again, radius, OptimizerOptions(), kFar);
    EXPECT_TRUE(fresh.on_boundary) << share;
    EXPECT_LE(fresh.predicted_fall, (1.0 + 1e-12) * shortened->predicted_fall) << share;
    EXPECT_GE(fresh.predicted_fall, 0.5 * shortened->predicted_fall) << share;
    OptimizerOptions options;
    options.models_boundary = true;
    const TrustRegionStep best = ModelSubspace(60).solve(again, radius, options, 1e-14);
    EXPECT_TRUE(best.on_boundary) << share;
    EXPECT_LE((best.p - shortened->p).norm(), 1e-6 * radius) << share;
  }
}

TEST(ModelSubspace, AMetricUndoesAChangeOfVariables) {
  Quadratic plain(40);
  Stretched stretched(40);
  ModelSubspace in_plain(60), in_stretched(60);
  for (const double radius : {kNoBound, 0.5, 0.01}) {
    const TrustRegionStep a = in_plain.solve(plain, radius, OptimizerOptions(), kFar),
                          b = in_stretched.solve(stretched, radius, OptimizerOptions(), kFar);
    EXPECT_EQ(a.iterations, b.iterations) << radius;
    EXPECT_LE((a.p - stretched.in_z(b.p)).norm(), 1e-5 * a.p.norm()) << radius;
    EXPECT_NEAR(a.length, b.length, 1e-7 * a.length) << radius;
    const std::optional<TrustRegionStep> c = in_plain.shortened(0.3 * a.length),
                                         d = in_stretched.shortened(0.3 * a.length);
    ASSERT_TRUE(c && d) << radius;
    EXPECT_LE((c->p - stretched.in_z(d->p)).norm(), 1e-5 * c->p.norm()) << radius;
    EXPECT_NEAR(d->length, 0.3 * a.length, 1e-7 * a.length) << radius;
  }
}

// What so many conjugate gradients without a bound lower the model by.
double fall_of_gradients(Quadratic& at, int iterations) {
  VecX r = -at.local_gradient(), d = r;
  double fall = 0.0;
  for (int k = 0; k < iterations; ++k) {
    const VecX Ad = at.gauss_newton_product(d);
    const double rr = r.squaredNorm(), alpha = rr / d.dot(Ad);
    fall += 0.5 * alpha * rr;
    r -= alpha * Ad;
    d = r + r.squaredNorm() / rr * d;
  }
  return fall;
}

// As many vectors as conjugate gradients need themselves come as far as these, until rounding takes over.
TEST(ModelSubspace, GoesOnWithTheLastMinimaWhereItIsFull) {
  for (const int capacity : {1, 3, 4, 7, 60})
    for (const int iterations : {3, 10, 15}) {
      Quadratic at(40), plain(40);
      OptimizerOptions options;
      options.max_cg_iterations = iterations;
      ModelSubspace subspace(capacity);
      const TrustRegionStep step = subspace.solve(at, kNoBound, options, 0.0);
      const double fall = fall_of_gradients(plain, iterations);
      EXPECT_NEAR(step.predicted_fall, fall, 1e-9 * fall) << capacity << " " << iterations;
      const double value = step.p.dot(at.local_gradient() + 0.5 * at.gauss_newton_product(step.p));
      EXPECT_NEAR(step.predicted_fall, -value, 1e-9 * fall) << capacity << " " << iterations;
      const bool has_room = iterations <= std::max(capacity, 3);
      EXPECT_EQ(subspace.shortened(0.5 * step.length).has_value(), has_room) << capacity << " " << iterations;
    }
}

// Along a direction without curvature a bound alone says how far, and where there is none it is left.
TEST(SmallModel, GoesToTheBoundWhereNothingHoldsItBack) {
  SmallModel model;
  model.append(-1.0, VecX::Constant(1, 2.0));
  model.append(-3.0, VecX::Zero(2));
  const SmallModel::Minimum free = model.minimize(kNoBound), bound = model.minimize(5.0);
  EXPECT_EQ(free.c, Eigen::Vector2d(0.5, 0.0));
  EXPECT_FALSE(free.on_boundary);
  EXPECT_TRUE(bound.on_boundary);
  EXPECT_NEAR(bound.c.norm(), 5.0, 1e-12);
  // (A + lambda) c = -g
  EXPECT_NEAR((1.0 - 2.0 * bound.c(0)) / bound.c(0), 3.0 / bound.c(1), 1e-9);
  model.append(0.0, VecX::Zero(3));
  EXPECT_EQ(model.minimize(kNoBound).c(2), 0.0);
  model.append(std::nan(""), VecX::Zero(4));
  EXPECT_FALSE(std::isfinite(model.minimize(1.0).fall));
}

// A run costs as much as 16 vectors: from then on the last one brought less than all have on average, the
// run's cost included.
TEST(ModelSubspace, EndsWhereVectorsAreDearAndGoesOn) {
  Quadratic at(40);
  OptimizerOptions options;
  const TrustRegionStep whole = ModelSubspace(60).solve(at, kNoBound, options, 1e-14);
  EXPECT_TRUE(whole.is_whole);
  ModelSubspace subspace(60);
  TrustRegionStep step = subspace.solve(at, kNoBound, options, 1e-14, 1);
  EXPECT_FALSE(step.is_whole);
  options.max_cg_iterations = step.iterations - 1;
  const TrustRegionStep before = ModelSubspace(60).solve(at, kNoBound, options, 1e-14);
  options.max_cg_iterations = step.iterations - 2;
  const double second_last = ModelSubspace(60).solve(at, kNoBound, options, 1e-14).predicted_fall;
  const double gain = step.predicted_fall - before.predicted_fall;
  EXPECT_LE((16 + step.iterations) * gain, step.predicted_fall);
  EXPECT_GT((15 + step.iterations) * (before.predicted_fall - second_last), before.predicted_fall);
  options.max_cg_iterations = 60;
  int vectors = step.iterations;
  while (!step.is_whole) {
    const double fall = step.predicted_fall;
    step = subspace.solve(at, kNoBound, options, 1e-14, 5);
    EXPECT_TRUE(step.is_whole || step.iterations >= 5);
    EXPECT_GT(step.predicted_fall, fall);
    vectors += step.iterations;
  }
  EXPECT_EQ(vectors, whole.iterations);
  EXPECT_LE((step.p - whole.p).norm(), 1e-9 * whole.p.norm());
}

TEST(ModelSubspace, KnowsAnotherGoalByItsImages) {
  Weighted at(30);
  ModelSubspace subspace(60);
  const TrustRegionStep first = subspace.solve(at, kNoBound, OptimizerOptions(), 1e-12);
  EXPECT_LE((first.p - at.minimum()).norm(), 1e-6 * first.p.norm());
  const VecX image = at.image(first.p);
  EXPECT_LE((first.image - image).norm(), 1e-12 * image.norm());
  const int before = at.sweeps;
  at.f = 2000.0;
  const TrustRegionStep second = subspace.solve(at, kNoBound, OptimizerOptions(), kFar);
  EXPECT_LE((second.p - at.minimum()).norm(), 1e-3 * second.p.norm());
  Weighted again(30);
  again.f = 2000.0;
  const TrustRegionStep anew = ModelSubspace(60).solve(again, kNoBound, OptimizerOptions(), kFar);
  EXPECT_LE(3 * (at.sweeps - before), again.sweeps);
  EXPECT_GE(second.predicted_fall, (1.0 - 1e-6) * anew.predicted_fall);
}

}  // namespace
}  // namespace keydrape
