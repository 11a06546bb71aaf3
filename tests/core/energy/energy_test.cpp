// One suite of property tests over every energy.
// Derivatives are judged by their order, not by a tolerance: that is free of scale, and it catches
// a lost term.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <random>

#include "core/energy/attachment.h"
#include "core/energy/element_family.h"
#include "core/energy/hinge_bending.h"
#include "core/energy/quadratic_bending.h"
#include "core/energy/shear.h"
#include "core/energy/spring.h"
#include "core/energy/stretch.h"
#include "core/energy/wind.h"

namespace keydrape {
namespace {

using Rng = std::mt19937_64;

constexpr double kDt = 0.01;
constexpr double kTime = 0.5;
constexpr int kSamples = 24;
constexpr double kOrder = 1.8;

double uniform(Rng& rng, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(rng);
}

template <int N>
Stencil<N> noise(Rng& rng, double scale) {
  return Stencil<N>::NullaryExpr([&] { return uniform(rng, -scale, scale); });
}

// ---- One case for each energy: a random element, what it shares, and its rest shape. ----

template <class E>
struct Case;

const Stencil<3> kRestTriangle{{0.0, 1.0, 0.2}, {0.0, 0.1, 0.9}, {0.0, 0.0, 0.0}};
const Stencil<4> kRestHinge{{0.0, 1.0, 0.4, 0.7}, {0.0, 0.0, 0.8, -0.6}, {0.0, 0.0, 0.0, 0.0}};

RestTriangle rest_triangle() { return RestTriangle::from_corners({0.0, 0.0}, {1.0, 0.1}, {0.2, 0.9}); }
RestHinge rest_hinge() { return {1.0, {0.4, 0.8}, {0.7, -0.6}}; }

template <>
struct Case<Stretch> {
  static constexpr bool kObjective = true;
  static Stretch element(Rng& rng) {
    return {{0, 1, 2}, rest_triangle(), 30.0, 20.0, uniform(rng, 0.0, 0.05)};
  }
  static Stretch::Shared shared() { return {}; }
  static Stencil<3> rest() { return kRestTriangle; }
};

template <>
struct Case<Shear> {
  static constexpr bool kObjective = true;
  static Shear element(Rng& rng) { return {{0, 1, 2}, rest_triangle(), 10.0, uniform(rng, 0.0, 0.05)}; }
  static Shear::Shared shared() { return {}; }
  static Stencil<3> rest() { return kRestTriangle; }
};

template <>
struct Case<HingeBending> {
  static constexpr bool kObjective = true;
  static HingeBending element(Rng& rng) { return {{0, 1, 2, 3}, 0.0, 2.0, uniform(rng, 0.0, 0.05)}; }
  static HingeBending::Shared shared() { return {}; }
  static Stencil<4> rest() { return kRestHinge; }
};

template <>
struct Case<QuadraticBending> {
  static constexpr bool kObjective = true;
  static QuadraticBending element(Rng&) { return {{0, 1, 2, 3}, flat_hinge_weights(rest_hinge()), 2.0}; }
  static QuadraticBending::Shared shared() { return {}; }
  static Stencil<4> rest() { return kRestHinge; }
};

template <>
struct Case<Spring> {
  static constexpr bool kObjective = true;
  static Spring element(Rng& rng) { return {{0, 1}, 5.0, 0.7, uniform(rng, 0.0, 0.05)}; }
  static Spring::Shared shared() { return {}; }
  static Stencil<2> rest() { return Stencil<2>{{0.0, 0.7}, {0.0, 0.0}, {0.0, 0.0}}; }
};

struct Seam : Spring {};  // a spring of rest length 0, to be a case of its own

template <>
struct Case<Seam> {
  static constexpr bool kObjective = true;
  static Seam element(Rng& rng) { return {{{0, 1}, 5.0, 0.0, uniform(rng, 0.0, 0.05)}}; }
  static Seam::Shared shared() { return {}; }
  static Stencil<2> rest() { return Stencil<2>::Zero(); }
};

template <>
struct Case<Attachment> {
  static constexpr bool kObjective = false;
  static Attachment element(Rng& rng) { return {{0}, 1, 5.0, uniform(rng, 0.0, 0.05)}; }
  static Attachment::Shared shared() {
    const VecX first = VecX::LinSpaced(6, 0.0, 1.0), last = VecX::LinSpaced(6, 2.0, -1.0);
    const Vec3 normal = Vec3(1, 2, 2) / 3;
    return {{{first, last}, 1.0}, normal * normal.transpose()};
  }
  static Stencil<1> rest() { return shared().motion.position(1, kTime); }
};

template <>
struct Case<Wind> {
  static constexpr bool kObjective = false;
  static Wind element(Rng&) { return {{0, 1, 2}}; }
  static Wind::Shared shared() { return {Vec3(3, 2, -1), 1.2, 0.7, 0.4}; }
  static Stencil<3> rest() { return kRestTriangle; }
};

// ---- Samples: an element in some state, gentle, wild or nearly degenerate. ----

template <class E>
typename E::Start start(const E& element, const Stencil<E::kVertices>& x, const Stencil<E::kVertices>& v) {
  const VecX none;
  return element.start(Case<E>::shared(), {kDt, kTime, none, none}, x, v);
}

template <class E>
struct Sample {
  static constexpr int K = E::kVertices;

  E element;
  Stencil<K> x, v, y;
  double reach = 1e-3;  // of the first difference [m]: small against the smallest length of the element

  typename E::Start start() const { return keydrape::start(element, x, v); }

  static std::vector<Sample> all() {
    Rng rng(1);
    std::vector<Sample> samples;
    for (int i = 0; i < kSamples; ++i) {
      Sample s{Case<E>::element(rng), Case<E>::rest(), noise<K>(rng, 2.0), Case<E>::rest()};
      s.y += noise<K>(rng, i % 3 == 1 ? 1.0 : 0.1);
      if (i % 3 == 2) {  // the last vertex almost meets the middle of the others
        constexpr int kOthers = std::min(K - 1, 2);
        if constexpr (kOthers > 0) s.y.col(K - 1) = s.y.template leftCols<kOthers>().rowwise().mean();
        s.y.col(K - 1) += 2e-3 * Vec3(noise<1>(rng, 1.0) + Vec3(0.5, 2.0, -1.5));
        s.reach = 2e-5;
      }
      s.x = s.y + noise<K>(rng, i % 3 == 2 ? 0.1 * 2e-3 : 0.05);
      samples.push_back(s);
    }
    return samples;
  }
};

// Mean order in which error(e) falls over five halvings of e; infinite where nothing but rounding is
// left of it.
template <class Error>
double mean_order(double reach, double rounding, const Error& error) {
  const double first = error(reach), last = error(reach / 32);
  if (last <= rounding) return std::numeric_limits<double>::infinity();
  return std::log2(first / last) / 5;
}

template <class E>
class EnergyTest : public testing::Test {};

using Energies =
    testing::Types<Stretch, Shear, HingeBending, QuadraticBending, Spring, Seam, Attachment, Wind>;
TYPED_TEST_SUITE(EnergyTest, Energies);

TYPED_TEST(EnergyTest, GivesAFamilyItsOwnValueAndGradient) {
  using E = TypeParam;
  constexpr int K = E::kVertices;
  const Sample<E> s = Sample<E>::all()[1];
  ElementFamily<E> family("energy", {s.element}, Case<E>::shared());
  std::vector<Edge> pairs;
  family.append_couplings(pairs);
  const BlockPattern pattern(K, pairs);
  family.bind(pattern);

  const VecX x = s.x.reshaped(), v = s.v.reshaped(), y = s.y.reshaped();
  const auto step = family.begin_step({kDt, kTime, x, v});
  VecX gradient = VecX::Zero(3 * K);
  step->add_gradient(y, gradient);
  EXPECT_EQ(step->value(y), s.element.value(s.y, s.start()));
  EXPECT_EQ(gradient, VecX(s.element.gradient(s.y, s.start()).reshaped()));
}

TYPED_TEST(EnergyTest, GradientIsTheDerivativeOfTheValue) {
  Rng rng(3);
  for (const auto& s : Sample<TypeParam>::all()) {
    const auto start = s.start();
    const auto d = noise<TypeParam::kVertices>(rng, 1.0);
    const double W = s.element.value(s.y, start);
    const double slope = s.element.gradient(s.y, start).cwiseProduct(d).sum();
    const auto error = [&](double e) {
      return std::abs(s.element.value(s.y + e * d, start) - W - e * slope);
    };
    EXPECT_GT(mean_order(s.reach, 1e-15 * (1 + std::abs(W)), error), kOrder);
    EXPECT_NE(slope, 0.0);
  }
}

TYPED_TEST(EnergyTest, HessianIsTheDerivativeOfTheGradient) {
  Rng rng(4);
  for (const auto& s : Sample<TypeParam>::all()) {
    const auto start = s.start();
    const auto d = noise<TypeParam::kVertices>(rng, 1.0);
    const auto g = s.element.gradient(s.y, start);
    const auto H = s.element.hessian(s.y, start);
    const auto change = (H * d.reshaped()).eval();
    const auto error = [&](double e) {
      return ((s.element.gradient(s.y + e * d, start) - g).reshaped() - e * change).norm();
    };
    EXPECT_GT(mean_order(s.reach, 1e-15 * (g.norm() + H.norm()), error), kOrder);
    EXPECT_GT(change.norm(), 0.0);
  }
}

TYPED_TEST(EnergyTest, HessianIsSymmetric) {
  for (const auto& s : Sample<TypeParam>::all()) {
    const auto H = s.element.hessian(s.y, s.start());
    EXPECT_LE((H - H.transpose()).norm(), 1e-14 * H.norm());
  }
}

TYPED_TEST(EnergyTest, HessianWithItsOwnTensionIsTheHessian) {
  if constexpr (ElementWithTension<TypeParam>) {
    for (const auto& s : Sample<TypeParam>::all()) {
      const auto H = s.element.hessian(s.y, s.start());
      const auto sigma = s.element.tension(s.y, s.start());
      EXPECT_LE((s.element.hessian_with_tension(s.y, s.start(), sigma) - H).norm(), 1e-14 * H.norm());
      auto other = sigma;
      for (double& value : other) value += 1.0;
      EXPECT_GT((s.element.hessian_with_tension(s.y, s.start(), other) - H).norm(), 1e-6);
    }
  } else {
    GTEST_SKIP() << "no conditions";
  }
}

TYPED_TEST(EnergyTest, TensionChangeIsTheDerivativeOfTheTension) {
  if constexpr (ElementWithTension<TypeParam>) {
    Rng rng(5);
    for (const auto& s : Sample<TypeParam>::all()) {
      const auto start = s.start();
      const auto d = noise<TypeParam::kVertices>(rng, 1.0);
      const auto sigma = s.element.tension(s.y, start), change = s.element.tension_change(s.y, d, start);
      for (size_t c = 0; c < sigma.size(); ++c) {
        const auto error = [&](double e) {
          return std::abs(s.element.tension(s.y + e * d, start)[c] - sigma[c] - e * change[c]);
        };
        EXPECT_GT(mean_order(s.reach, 1e-14 * std::abs(sigma[c]), error), kOrder);
      }
    }
  } else {
    GTEST_SKIP() << "no conditions";
  }
}

// The error of d2W/dy dx (or dv) along d, where restart(e) is the start of the step with x (or v) moved
// by e d.
template <class E, class Restart>
double cross_order(const Sample<E>& s, double reach, const StencilHessian<E::kVertices>& cross,
                   const Stencil<E::kVertices>& d, const Restart& restart) {
  const Stencil<E::kVertices> g = s.element.gradient(s.y, s.start());
  const auto change = (cross * d.reshaped()).eval();
  return mean_order(reach, 1e-15 * (g.norm() + cross.norm()), [&](double e) {
    return ((s.element.gradient(s.y, restart(e)) - g).reshaped() - e * change).norm();
  });
}

TYPED_TEST(EnergyTest, CrossDerivativesAreThoseOfTheGradient) {
  if constexpr (ElementWithMemory<TypeParam>) {
    Rng rng(6);
    for (const auto& s : Sample<TypeParam>::all()) {
      ASSERT_TRUE(s.element.depends_on_start());
      const auto d = noise<TypeParam::kVertices>(rng, 1.0);
      const auto C = s.element.cross_x(s.y, s.x, s.start());
      EXPECT_GT(C.norm(), 0.0);
      EXPECT_GT(cross_order(s, s.reach, C, d, [&](double e) { return start(s.element, s.x + e * d, s.v); }),
                kOrder);
      if constexpr (ElementWithVelocityMemory<TypeParam>) {
        const auto D = s.element.cross_v(s.y, s.x, s.start());
        EXPECT_GT(D.norm(), 0.0);
        EXPECT_GT(cross_order(s, 1e-1, D, d, [&](double e) { return start(s.element, s.x, s.v + e * d); }),
                  kOrder);
      }
    }
  } else {
    GTEST_SKIP() << "no memory of the start";
  }
}

TYPED_TEST(EnergyTest, RigidMotionCostsNothing) {
  if constexpr (Case<TypeParam>::kObjective) {
    Rng rng(7);
    for (const auto& s : Sample<TypeParam>::all()) {
      const Mat3 R = Eigen::AngleAxisd(2.0, noise<1>(rng, 1.0).normalized()).toRotationMatrix();
      const Vec3 t = noise<1>(rng, 1.0);
      const auto start = s.start();
      const Stencil<TypeParam::kVertices> moved = (R * s.y).colwise() + t;
      EXPECT_NEAR(s.element.value(moved, start), s.element.value(s.y, start),
                  1e-11 * (1 + s.element.value(s.y, start)));

      const auto g = s.element.gradient(s.y, start);
      Vec3 torque = Vec3::Zero();
      for (int a = 0; a < TypeParam::kVertices; ++a) torque += Vec3(s.y.col(a)).cross(Vec3(g.col(a)));
      EXPECT_LE(g.rowwise().sum().norm(), 1e-13 * g.norm());
      EXPECT_LE(torque.norm(), 1e-12 * g.norm());
    }
  } else {
    GTEST_SKIP() << "bound to a place or to the air";
  }
}

TYPED_TEST(EnergyTest, RestIsWithoutForce) {
  if constexpr (!std::is_same_v<TypeParam, Wind>) {
    Rng rng(8);
    const auto element = Case<TypeParam>::element(rng);
    const auto rest = Case<TypeParam>::rest();
    auto x = rest;
    if constexpr (std::is_same_v<TypeParam, Attachment>)  // rests while it follows its moving point
      x = Case<TypeParam>::shared().motion.position(1, kTime - kDt);
    const auto s = start(element, x, rest);
    EXPECT_NEAR(element.value(rest, s), 0.0, 1e-14);
    EXPECT_LE(element.gradient(rest, s).norm(), 1e-13);
  } else {
    GTEST_SKIP() << "depends on the air";
  }
}

}  // namespace
}  // namespace keydrape
