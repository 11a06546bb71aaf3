// Friction of a pair of features: derivatives by both ends of the step, by their order; Coulomb's force.

#include "core/contact/pairs/pair_friction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/contact/pairs/pair_positions.h"
#include "tests/support/contact_stencils.h"

namespace keydrape::test {
namespace {

constexpr Barrier kPairBarrier{0.01, 0.2};
constexpr FrictionLaw kFrictionLaw{0.05};
constexpr double kMu = 0.3;

template <class Contact>
Contact contact_of(const Stencil<4>& rest) {
  if constexpr (std::is_same_v<Contact, VertexFaceContact>)
    return {{0, 1, 2, 3}, 2.0};
  else
    return {{0, 1, 2, 3}, 2.0, EdgeEdgeMollifier::from_rest(rest)};
}

template <class Contact>
PairFrictionByStart friction_of(const Contact& contact, const Stencil<4>& x) {
  return {contact, x, distance_of(contact, x), kPairBarrier, kMu};
}

// Orders of the derivatives by y and by x of a pair that starts at x and slides by `slide`.
template <class Contact>
void expect_derivatives(const Contact& contact, const Stencil<4>& x, double slide, std::mt19937_64& rng,
                        int& passed) {
  const Stencil<4> y = x + slide * random_stencil(rng, 1.0), d = random_stencil(rng, 1.0);
  const PairFrictionByStart friction = friction_of(contact, x);
  const auto value = [&](const Stencil<4>& at) { return friction.value(at - x, kFrictionLaw); };
  const auto gradient = [&](const Stencil<4>& at) { return friction.gradient(at - x, kFrictionLaw); };
  const auto from = [&](const Stencil<4>& start) {
    return friction_of(contact, start).gradient(y - start, kFrictionLaw);
  };
  const double first = 2e-4;
  EXPECT_GT(taylor_order(value, friction.gradient(y - x, kFrictionLaw), y, d, first), 1.8);
  const double by_y = taylor_order(gradient, friction.hessian(y - x, kFrictionLaw), y, d, first);
  const double by_x = taylor_order(from, friction.start_derivative(y - x, kFrictionLaw), x, d, first);
  passed += by_y > 1.8 && by_x > 1.8;
}

template <class Contact>
void expect_derivatives_of_random_pairs() {
  std::mt19937_64 rng(7);
  int passed = 0, tried = 0;
  while (tried < 400) {
    const Stencil<4> x = random_stencil(rng, 0.5);
    const Contact contact = contact_of<Contact>(x);
    const double d = std::sqrt(distance_of(contact, x).squared());
    if (d < 0.05 || d > 0.19) continue;
    ++tried;
    expect_derivatives(contact, x, tried % 2 ? 0.01 : 0.2, rng, passed);
  }
  EXPECT_GE(passed, 0.97 * tried);  // some pairs change their case within the difference
}

TEST(PairFriction, DerivativesOfVertexAndFace) { expect_derivatives_of_random_pairs<VertexFaceContact>(); }
TEST(PairFriction, DerivativesOfEdges) { expect_derivatives_of_random_pairs<EdgeEdgeContact>(); }

TEST(PairFriction, DerivativesOfNearlyParallelEdges) {
  std::mt19937_64 rng(8);
  int passed = 0;
  constexpr int kTried = 100;
  for (int k = 0; k < kTried; ++k) {
    const Stencil<4> x = nearly_parallel_edges(rng, 0.02);
    const auto contact = contact_of<EdgeEdgeContact>(x);
    ASSERT_TRUE(contact.mollifier.is_active(x));
    Stencil<4> y = x;
    y.leftCols<2>().colwise() += Vec3(0.03, 0.02, 0.01);
    const Stencil<4> d = random_stencil(rng, 1.0);
    const PairFrictionByStart friction = friction_of(contact, x);
    const auto from = [&](const Stencil<4>& start) {
      return friction_of(contact, start).gradient(y - start, kFrictionLaw);
    };
    passed += taylor_order(from, friction.start_derivative(y - x, kFrictionLaw), x, d, 1e-5) > 1.8;
  }
  EXPECT_GE(passed, 0.95 * kTried);
}

// A vertex over a face that slides across it: mu times the load, against the way, and shared out by weights.
TEST(PairFriction, PullsWithTheCoefficientTimesTheLoad) {
  Stencil<4> x{{0.3, 0, 1, 0}, {0.2, 0, 0, 1}, {0.1, 0, 0, 0}}, y = x;
  y.col(0) += Vec3(0.3, -0.4, 0.7);  // the height does not matter
  const auto contact = contact_of<VertexFaceContact>(x);
  const Stencil<4> force = -friction_of(contact, x).gradient(y - x, kFrictionLaw);
  const double load = contact.gradient(x, distance_of(contact, x), kPairBarrier).col(0).norm();
  EXPECT_LT((force.col(0) - kMu * load * Vec3(-0.6, 0.8, 0)).norm(), 1e-12 * load);
  EXPECT_LT((force.col(1) + 0.5 * force.col(0)).norm(), 1e-12 * load);
  EXPECT_LT((force.col(2) + 0.3 * force.col(0)).norm(), 1e-12 * load);
  EXPECT_LT(force.rowwise().sum().norm(), 1e-12 * load);
}

TEST(PairFriction, MovingTogetherCostsNothing) {
  std::mt19937_64 rng(9);
  Stencil<4> x{{0.3, 0, 1, 0}, {0.2, 0, 0, 1}, {0.1, 0, 0, 0}};
  const Stencil<4> y = x.colwise() + Vec3(0.5, 1.5, -0.3);
  const PairFriction friction = friction_of(contact_of<VertexFaceContact>(x), x);
  EXPECT_LT(friction.gradient(y - x, kFrictionLaw).norm(), 1e-13 * friction.load);
}

}  // namespace
}  // namespace keydrape::test
