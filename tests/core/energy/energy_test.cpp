// One suite of property tests over every energy (tests/support/energy_cases.h).

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <array>
#include <cmath>

#include "tests/support/energy_cases.h"

namespace keydrape {
namespace {

using namespace test;

template <class E>
class EnergyTest : public testing::Test {};

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
    constexpr bool is_force = std::is_same_v<TypeParam, CarriedMass> || std::is_same_v<TypeParam, Pressure>;
    EXPECT_EQ(change.norm() > 0.0, !is_force) << "a force alone has none";
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

// Newton has no other H_psd than H with projected tensions, and than H itself where there are none.
TYPED_TEST(EnergyTest, HessianWithProjectedTensionsIsPositiveSemidefinite) {
  using E = TypeParam;
  constexpr int K = E::kVertices;
  for (const auto& s : Sample<E>::all()) {
    StencilHessian<K> H = s.element.hessian(s.y, s.start());
    if constexpr (ElementWithTension<E>) {
      const ElementFamily<E> family("energy", {s.element}, Case<E>::shared());
      const VecX x = s.x.reshaped(), v = s.v.reshaped(), y = s.y.reshaped();
      const auto step = family.begin_step({kDt, kTime, x, v});
      std::array<double, E::kConditions> sigma;
      step->tensions()->at(y, sigma);
      step->tensions()->project(y, sigma);
      H = s.element.hessian_with_tension(s.y, s.start(), sigma);
    }
    const double smallest = Eigen::SelfAdjointEigenSolver<StencilHessian<K>>(H).eigenvalues().minCoeff();
    EXPECT_GE(smallest, -1e-13 * H.norm());
  }
}

TYPED_TEST(EnergyTest, TensionChangeIsTheDerivativeOfTheTension) {
  if constexpr (ElementWithTension<TypeParam>) {
    Rng rng(5);
    for (const auto& s : Sample<TypeParam>::all()) {
      const auto start = s.start();
      const auto d = noise<TypeParam::kVertices>(rng, 1.0);
      const auto sigma = s.element.tension(s.y, start);
      for (size_t c = 0; c < sigma.size(); ++c) {
        const auto error = [&](double e) {
          const auto change = s.element.tension_change(s.y, e * d, start);
          return std::abs(s.element.tension(s.y + e * d, start)[c] - sigma[c] - change[c]);
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
  const Stencil<E::kVertices> g = s.element.gradient(s.y, restart(0.0));
  const auto change = (cross * d.reshaped()).eval();
  // The force of a carried mass is linear, so that nothing but rounding is left, and a small difference.
  constexpr double kRounding = std::is_same_v<E, CarriedMass> ? 1e-14 : 1e-15;
  return mean_order(reach, kRounding * (g.norm() + cross.norm()), [&](double e) {
    return ((s.element.gradient(s.y, restart(e)) - g).reshaped() - e * change).norm();
  });
}

TYPED_TEST(EnergyTest, CrossDerivativesAreThoseOfTheGradient) {
  if constexpr (ElementWithMemory<TypeParam>) {
    Rng rng(6);
    for (const auto& s : Sample<TypeParam>::all()) {
      ASSERT_TRUE(s.element.depends_on_start());
      const auto d = noise<TypeParam::kVertices>(rng, 1.0);
      const auto by_x = [&](double e) { return start(s.element, s.x + e * d, s.v); };
      const auto C = s.element.cross_x(s.y, s.x, s.start(), implicit_euler(kDt).start);
      EXPECT_GT(C.norm(), 0.0);
      EXPECT_GT(cross_order(s, s.reach, C, d, by_x), kOrder);
      if constexpr (ElementWithVelocityMemory<TypeParam>) {
        const auto by_v = [&](double e) { return start(s.element, s.x, s.v + e * d); };
        const auto D = s.element.cross_v(s.y, s.start(), implicit_euler(kDt).start);
        EXPECT_GT(D.norm(), 0.0);
        EXPECT_GT(cross_order(s, 1e-1, D, d, by_v), kOrder);
      }
    }
  } else {
    GTEST_SKIP() << "no memory of the start";
  }
}

// The force of a linearised step, g(x) + P(x) d with P of projected tensions, by its start: P and what stands
// in place of C. Tension that pulls is in P of some elements, that which pushes is in none.
TYPED_TEST(EnergyTest, LinearizedTermsAreTheDerivativeOfTheLinearizedForce) {
  using E = TypeParam;
  if constexpr (ElementLinearized<E>) {
    constexpr int K = E::kVertices;
    if constexpr (requires(const E& e) { e.is_coupled(); }) {
      const E element = Sample<E>::all().front().element;
      const ElementFamily<E> family("energy", {element}, Case<E>::shared());
      EXPECT_NE(family.has_linearized_derivatives(), element.is_coupled());
      if (element.is_coupled()) return;
    }
    Rng rng(26);
    int pushing = 0, pulling = 0;
    for (const auto& s : Sample<E>::all()) {
      const Stencil<K> way = noise<K>(rng, 0.1), d = noise<K>(rng, 1.0);
      const ElementFamily<E> family("energy", {s.element}, Case<E>::shared());
      const auto matrix = [&](const Stencil<K>& x) {
        const VecX at = x.reshaped(), v = s.v.reshaped();
        const auto step = family.begin_step({kDt, kTime, at, v});
        std::array<double, E::kConditions> sigma;
        step->tensions()->at(at, sigma);
        for (const double tension : sigma) ++(tension > 0.0 ? pulling : pushing);
        step->tensions()->project(at, sigma);
        return s.element.hessian_with_tension(x, start(s.element, x, s.v), sigma);
      };
      const auto force = [&](const Stencil<K>& x) -> Eigen::Matrix<double, 3 * K, 1> {
        return s.element.gradient(x, start(s.element, x, s.v)).reshaped() + matrix(x) * way.reshaped();
      };
      const auto begun = start(s.element, s.x, s.v);
      const StencilHessian<K> by_x = matrix(s.x) + linearized_cross_x(s.element, s.x, way, begun);
      const auto at = force(s.x);
      const double order = mean_order(0.1 * s.reach, 1e-15 * (at.norm() + by_x.norm()), [&](double e) {
        return (force(s.x + e * d) - at - e * by_x * d.reshaped()).norm();
      });
      EXPECT_GT(order, kOrder);
    }
    const bool only_pulls = std::is_same_v<E, Seam>;  // it has no length to fall short of
    EXPECT_EQ(pushing > 0, !only_pulls);
    EXPECT_GT(pulling, 0);
  } else {
    GTEST_SKIP() << "its matrix does not depend on the start";
  }
}

// BDF2 knows two states: each has derivatives of its own.
TYPED_TEST(EnergyTest, CrossDerivativesByBothStatesAreThoseOfTheGradient) {
  if constexpr (ElementWithMemory<TypeParam>) {
    constexpr int K = TypeParam::kVertices;
    Rng rng(16);
    const StepScheme scheme = bdf2(kDt);
    for (const auto& s : Sample<TypeParam>::all()) {
      const StartStencil<K> at{s.x, s.v, s.x + noise<K>(rng, 0.02), s.v + noise<K>(rng, 0.1)};
      const auto d = noise<K>(rng, 1.0);
      const auto moved = [&](Stencil<K> StartStencil<K>::*member, double e) {
        StartStencil<K> to = at;
        to.*member += e * d;
        return start_of_bdf2(s.element, to);
      };
      const auto begun = start_of_bdf2(s.element, at);
      const auto order_by = [&](Stencil<K> StartStencil<K>::*member, double reach,
                                const StencilHessian<K>& cross) {
        EXPECT_GT(cross.norm(), 0.0);
        return cross_order(s, reach, cross, d, [&](double e) { return moved(member, e); });
      };
      using At = StartStencil<K>;
      EXPECT_GT(order_by(&At::x, s.reach, s.element.cross_x(s.y, at.x, begun, scheme.start)), kOrder);
      EXPECT_GT(order_by(&At::x_before, s.reach, s.element.cross_x(s.y, at.x_before, begun, scheme.before)),
                kOrder);
      if constexpr (ElementWithVelocityMemory<TypeParam>) {
        EXPECT_GT(order_by(&At::v, 1e-1, s.element.cross_v(s.y, begun, scheme.start)), kOrder);
        EXPECT_GT(order_by(&At::v_before, 1e-1, s.element.cross_v(s.y, begun, scheme.before)), kOrder);
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
  if constexpr (Case<TypeParam>::kRests) {
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
    GTEST_SKIP() << "a load";
  }
}

}  // namespace
}  // namespace keydrape
