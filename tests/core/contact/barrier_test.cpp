// The barrier and the two contact energies: closed values, smoothness at the activation distance, derivatives
// by their order, the projection.

#include "core/contact/barrier.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/contact/pairs/pair_positions.h"
#include "tests/support/contact_stencils.h"
#include "tests/support/spectrum.h"

namespace keydrape::test {
namespace {

TEST(Barrier, FollowsItsFormula) {
  for (double xi : {0.0, 1e-3}) {
    const Barrier b{xi, 2e-3};
    const double range = b.range() * b.range() - xi * xi;
    EXPECT_NEAR(b.value(xi * xi + 0.5 * range), 0.25 * std::log(2), 1e-14);
    // From three tenths of the range on a hundred times the same, as if these were all of it.
    EXPECT_NEAR(b.value(xi * xi + 0.15 * range), 0.85 * 0.85 * -std::log(0.15) + 25 * std::log(2), 1e-12);
    EXPECT_EQ(b.value(xi * xi), std::numeric_limits<double>::infinity());
    EXPECT_EQ(b.value(0.5 * xi * xi), std::numeric_limits<double>::infinity());
    EXPECT_EQ(b.value(b.range() * b.range() * 1.0001), 0);
    EXPECT_EQ(b.derivative(b.range() * b.range() * 1.0001), 0);
    for (double share : {1e-4, 0.1, 0.5, 0.9, 0.999}) {
      const double D = xi * xi + share * range, e = 1e-4 * std::min(share, 1 - share) * range;
      const double first = (b.value(D + e) - b.value(D - e)) / (2 * e);
      const double second = (b.derivative(D + e) - b.derivative(D - e)) / (2 * e);
      EXPECT_NEAR(first / b.derivative(D), 1, 1e-6);
      EXPECT_NEAR(second / b.second_derivative(D), 1, 1e-6);
    }
  }
}

TEST(Barrier, IsTwiceContinuouslyDifferentiable) {
  const Barrier b{1e-3, 2e-3};
  const double range = b.range() * b.range() - 1e-6;
  const double D = b.range() * b.range() - 1e-6 * range;  // z = 1 - 1e-6
  EXPECT_LT(b.value(D), 1.1e-18);
  EXPECT_LT(std::abs(b.derivative(D)) * range, 4e-12);
  EXPECT_LT(b.second_derivative(D) * range * range, 7e-6);
  const double deep = 1e-6 + 0.3 * range, e = 1e-9 * range;  // where it gets harder
  EXPECT_NEAR(b.value(deep - e) / b.value(deep + e), 1, 1e-7);
  EXPECT_NEAR(b.derivative(deep - e) / b.derivative(deep + e), 1, 1e-7);
  EXPECT_NEAR(b.second_derivative(deep - e) / b.second_derivative(deep + e), 1, 1e-4);
}

constexpr Barrier kBarrier{0.01, 0.2};

// A pair within the barrier's range; nothing else is promised about it.
template <class Distance>
Stencil<4> near_pair(std::mt19937_64& rng, const Distance& distance) {
  for (;;) {
    Stencil<4> x = random_stencil(rng, 0.5);
    const double d = std::sqrt(distance(x).squared());
    if (d > 0.03 && d < 0.19) return x;
  }
}

// A contact as a function of its vertices alone.
template <class Contact>
struct OfVertices : Contact {
  double value(const Stencil<4>& x) const { return Contact::value(x, distance_of(*this, x), kBarrier); }
  Stencil<4> gradient(const Stencil<4>& x) const {
    return Contact::gradient(x, distance_of(*this, x), kBarrier);
  }
  StencilHessian<4> hessian(const Stencil<4>& x) const {
    return Contact::hessian(x, distance_of(*this, x), kBarrier);
  }
  StencilHessian<4> hessian_psd(const Stencil<4>& x) const {
    return Contact::hessian_psd(x, distance_of(*this, x), kBarrier);
  }
};
using VertexFace = OfVertices<VertexFaceContact>;
using EdgeEdge = OfVertices<EdgeEdgeContact>;

template <class Contact>
void expect_derivatives(const Contact& contact, const Stencil<4>& x, const Stencil<4>& d, double first,
                        int& passed, int& tried) {
  ++tried;
  const double gradient_order =
      taylor_order([&](const Stencil<4>& y) { return contact.value(y); }, contact.gradient(x), x, d, first);
  const double hessian_order =
      taylor_order([&](const Stencil<4>& y) { return contact.gradient(y); }, contact.hessian(x), x, d, first);
  EXPECT_GT(gradient_order, 1.8);
  if (hessian_order > 1.8) ++passed;
}

void expect_projection(const StencilHessian<4>& exact, const StencilHessian<4>& projected) {
  const auto least = [](const StencilHessian<4>& h) { return test::eigenvalues(h)[0]; };
  const double tolerance = 1e-9 * exact.norm();
  EXPECT_GT(least(projected), -tolerance);
  EXPECT_GT(least(projected - exact), -tolerance);
  EXPECT_LT(projected.norm(), 3 * exact.norm());
}

TEST(VertexFaceContact, DerivativesAreExact) {
  std::mt19937_64 rng(1);
  const VertexFace contact{{{0, 1, 2, 3}, 3.0}};
  int passed = 0, tried = 0;
  for (int i = 0; i < 200; ++i) {
    const Stencil<4> x = near_pair(rng, vertex_face_distance);
    expect_derivatives(contact, x, random_stencil(rng, 1.0), 1e-4, passed, tried);
    expect_projection(contact.hessian(x), contact.hessian_psd(x));
  }
  // The Hessian jumps between cases of nearest features, which a few directions cross.
  EXPECT_GE(passed, tried - 4);
}

TEST(EdgeEdgeContact, DerivativesAreExact) {
  std::mt19937_64 rng(2);
  int passed = 0, tried = 0;
  for (int i = 0; i < 200; ++i) {
    const Stencil<4> x = near_pair(rng, edge_edge_distance);
    const EdgeEdge contact{{{0, 1, 2, 3}, 3.0, EdgeEdgeMollifier::from_rest(x)}};
    expect_derivatives(contact, x, random_stencil(rng, 1.0), 1e-4, passed, tried);
    expect_projection(contact.hessian(x), contact.hessian_psd(x));
  }
  EXPECT_GE(passed, tried - 4);
}

TEST(EdgeEdgeContact, DerivativesAreExactWhileMollified) {
  std::mt19937_64 rng(3);
  int passed = 0, tried = 0;
  for (int i = 0; i < 100; ++i) {
    const Stencil<4> x = nearly_parallel_edges(rng, uniform(rng, 0.004, 0.03));
    const EdgeEdge contact{{{0, 1, 2, 3}, 3.0, EdgeEdgeMollifier::from_rest(x)}};
    ASSERT_TRUE(contact.mollifier.is_active(x));
    expect_derivatives(contact, x, random_stencil(rng, 1.0), 4e-6, passed, tried);
    const StencilHessian<4> projected = contact.hessian_psd(x);
    EXPECT_GT(test::eigenvalues(projected)[0], -1e-9 * projected.norm());
  }
  EXPECT_GE(passed, tried - 2);
}

TEST(EdgeEdgeContact, ExertsNoForceWhileParallel) {
  const Stencil<4> x{{0, 1, 0.2, 1.2}, {0, 0, 0, 0}, {0, 0, 0.05, 0.05}};
  const EdgeEdge contact{{{0, 1, 2, 3}, 3.0, EdgeEdgeMollifier::from_rest(x)}};
  EXPECT_EQ(contact.value(x), 0);
  EXPECT_EQ(contact.gradient(x).norm(), 0);
  EXPECT_TRUE(contact.hessian(x).allFinite());
}

TEST(VertexFaceContact, PushesApartAndTurnsNothing) {
  std::mt19937_64 rng(4);
  const VertexFace contact{{{0, 1, 2, 3}, 3.0}};
  for (int i = 0; i < 50; ++i) {
    const Stencil<4> x = near_pair(rng, vertex_face_distance);
    const Stencil<4> force = -contact.gradient(x);
    Vec3 torque = Vec3::Zero();
    for (int a = 0; a < 4; ++a) torque += x.col(a).cross(force.col(a));
    EXPECT_LT(force.rowwise().sum().norm(), 1e-12 * force.norm());
    EXPECT_LT(torque.norm(), 1e-12 * force.norm());
    EXPECT_GT(force.col(0).dot(vertex_face_distance(x).difference()), 0);
  }
}

}  // namespace
}  // namespace keydrape::test
