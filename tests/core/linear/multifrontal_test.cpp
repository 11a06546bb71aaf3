// Factors made in single and double precision: those of a dense factorisation but for rounding, with the same
// bits on any number of threads; and what becomes of matrices that are not, or hardly, positive definite.

#include "core/linear/multifrontal.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <random>

#include "core/linear/cholesky.h"
#include "tests/support/meshes.h"

namespace keydrape {
namespace {

using namespace test;
using End = Multifrontal::End;

// The Laplacian of a mesh's edges in each direction, plus `shift` times the identity, which is the least
// eigenvalue. Directions are coupled by a rotation of each vertex's, so that blocks are full.
struct ShiftedLaplacian {
  explicit ShiftedLaplacian(double shift = 1.0, int cells = 40)
      : ShiftedLaplacian(shift, (cells + 1) * (cells + 1), edges_of(square(cells, 1.0))) {}
  ShiftedLaplacian(double shift, int vertex_count, const std::vector<Edge>& edges)
      : pattern(vertex_count, edges), H(pattern), solver(pattern) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    std::vector<Mat3> turn;
    turn.reserve(static_cast<size_t>(vertex_count));
    for (int i = 0; i < vertex_count; ++i)
      turn.push_back(Eigen::Quaterniond(number(random), number(random), number(random), number(random))
                         .normalized()
                         .toRotationMatrix());
    for (int i = 0; i < pattern.rows(); ++i)
      for (int s = pattern.row_begin(i); s < pattern.row_end(i); ++s)
        H.block(s) = -turn[i] * turn[pattern.column(s)].transpose();
    set_shift(shift);
  }

  void set_shift(double shift) {
    for (int i = 0; i < pattern.rows(); ++i) {
      const int s = pattern.diagonal_slot(i), degree = pattern.row_end(i) - pattern.row_begin(i) - 1;
      H.block(s) = (degree + shift) * Mat3::Identity();
    }
  }

  // The layout that factors are made in.
  std::shared_ptr<const SupernodalLayout> layout() {
    set_shift(1.0);
    return solver.factorize_single(H, work)->layout();
  }
  // ... with its tree cut at so many values.
  std::shared_ptr<const SupernodalLayout> layout(size_t grain) {
    auto cut = std::make_shared<SupernodalLayout>(*layout());
    cut->tasks = EliminationTasks(*cut, grain);
    return cut;
  }

  // H with its rows and columns in this order.
  Eigen::MatrixXd dense(const std::vector<int>& order) const {
    const int n = static_cast<int>(order.size());
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(n, n);
    for (int i = 0; i < pattern.rows(); ++i)
      for (int s = pattern.row_begin(i); s < pattern.row_end(i); ++s)
        all.block<3, 3>(3 * i, 3 * pattern.column(s)) = H.block(s);
    return all(order, order);
  }

  BlockPattern pattern;
  BlockMatrix H;
  CholeskySolver solver;
  CholeskyWorkspace work;
};

// Two groups of 100 vertices that know each other and all of a clique of 180, so that there are 540 rows
// below a supernode, more than are done at a time.
struct TwoGroupsAndAClique : ShiftedLaplacian {
  explicit TwoGroupsAndAClique(double shift = 1.0) : ShiftedLaplacian(shift, 380, edges()) {}

  static std::vector<Edge> edges() {
    std::vector<Edge> all;
    for (int i = 0; i < 380; ++i)
      for (int j = 0; j < i; ++j)
        if (i >= 200 || i / 100 == j / 100) all.push_back({i, j});
    return all;
  }
};

int most_rows_below(const SupernodalLayout& layout) {
  size_t most = 0;
  for (int k = 0; k < layout.supernode_count(); ++k) most = std::max(most, layout.rows_below(k).size());
  return static_cast<int>(most);
}

template <class Real>
void expect_factor_of_dense_matrix(ShiftedLaplacian& matrix, double shift) {
  const auto cut = matrix.layout(300);
  matrix.set_shift(shift);
  PageVector<Real> values(7, Real{1});  // what was there before does not matter
  ASSERT_EQ(Multifrontal(matrix.pattern, cut).factorize(matrix.H, values), End::kDone);
  ASSERT_EQ(values.size(), cut->values_begin.back());
  const Eigen::MatrixXd expected = matrix.dense(cut->order).llt().matrixL();
  double worst = 0.0;
  for (int k = 0; k < cut->supernode_count(); ++k)
    for (int j = 0; j < cut->column_count(k); ++j)
      for (int i = j; i < cut->row_count(k); ++i) {
        const double value = values[cut->values_begin[k] + static_cast<size_t>(j) * cut->row_count(k) + i];
        const double of_dense = expected(cut->rows_of(k)[i], cut->first_column[k] + j);
        worst = std::max(worst, std::abs(value - (i == j ? 1.0 / of_dense : of_dense)));
      }
  std::printf("%d vertices: %d supernodes, at most %d rows below, largest difference %.1e\n",
              matrix.pattern.rows(), cut->supernode_count(), most_rows_below(*cut), worst);
  EXPECT_LT(worst, 80.0 * std::numeric_limits<Real>::epsilon());
}

template <class Real>
void expect_same_bits(ShiftedLaplacian& matrix) {
  PageVector<Real> first, values;
  {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    ASSERT_EQ(Multifrontal(matrix.pattern, matrix.layout(size_t{1} << 60)).factorize(matrix.H, first),
              End::kDone);
  }
  for (const size_t grain : {300, 5000}) {
    const Multifrontal cut(matrix.pattern, matrix.layout(grain));
    for (const int threads : {1, 2, 4, 8}) {
      const tbb::global_control some(tbb::global_control::max_allowed_parallelism, threads);
      for (int run = 0; run < 10; ++run) {
        ASSERT_EQ(cut.factorize(matrix.H, values), End::kDone);
        ASSERT_EQ(values, first) << "grain " << grain << ", " << threads << " threads";
      }
    }
  }
}

template <class Real>
class Factors : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Factors, Precisions);

TYPED_TEST(Factors, AreThoseOfADenseFactorisation) {
  for (const int cells : {1, 2, 3, 5, 9, 17}) {
    ShiftedLaplacian matrix(1.0, cells);
    expect_factor_of_dense_matrix<TypeParam>(matrix, 0.1);
  }
}

TYPED_TEST(Factors, AreThoseOfADenseFactorisationInBlocks) {
  TwoGroupsAndAClique matrix;
  ASSERT_GT(most_rows_below(*matrix.layout()), 512);
  expect_factor_of_dense_matrix<TypeParam>(matrix, 400.0);  // as large as what stands beside the diagonal
}

TYPED_TEST(Factors, HaveBitsThatDependNeitherOnThreadsNorOnTasks) {
  ShiftedLaplacian sheet;
  expect_same_bits<TypeParam>(sheet);
  TwoGroupsAndAClique groups;
  expect_same_bits<TypeParam>(groups);
}

TEST(Multifrontal, MakesTheSameFactorInBothPrecisions) {
  ShiftedLaplacian matrix;
  const auto kept = matrix.layout(300);
  const SupernodalLayout& layout = *kept;
  const Multifrontal cut(matrix.pattern, kept);
  matrix.set_shift(0.1);
  PageVector<float> single;
  PageVector<double> exact;
  ASSERT_EQ(cut.factorize(matrix.H, single), End::kDone);
  ASSERT_EQ(cut.factorize(matrix.H, exact), End::kDone);
  ASSERT_EQ(single.size(), exact.size());
  for (int k = 0; k < layout.supernode_count(); ++k)
    for (int j = 0; j < layout.column_count(k); ++j)
      for (int i = j; i < layout.row_count(k); ++i) {
        const size_t at = layout.values_begin[k] + static_cast<size_t>(j) * layout.row_count(k) + i;
        ASSERT_NEAR(single[at], exact[at], 1e-5);
      }
}

TEST(Multifrontal, KnowsWhatItDoesNotKnow) {
  ShiftedLaplacian matrix;
  const Multifrontal cut(matrix.pattern, matrix.layout(300));
  PageVector<float> values;
  const auto end = [&](double shift) {
    matrix.set_shift(shift);
    return cut.factorize(matrix.H, values);
  };
  EXPECT_EQ(end(1e-2), End::kDone);
  EXPECT_EQ(end(-1e-2), End::kIndefinite);
  EXPECT_EQ(end(-5.0), End::kIndefinite);
  int unsure = 0;
  for (int k = -20; k <= 20; ++k) {
    const End near_zero = end(k * 2e-9);
    EXPECT_NE(near_zero, End::kIndefinite) << k;
    unsure += near_zero == End::kUnsure;
  }
  std::printf("unsure about %d of 41 least eigenvalues within 4e-8\n", unsure);
  EXPECT_GT(unsure, 0);
}

// In double precision the sign is clear, so that there is a factor wherever H has one.
TEST(Multifrontal, WhatItDoesNotKnowIsDecidedInDoublePrecision) {
  ShiftedLaplacian matrix;
  const Multifrontal made_first(matrix.pattern, matrix.layout());
  PageVector<float> values;
  int decided = 0;
  for (int k = 1; k <= 40; ++k)
    for (const double sign : {1.0, -1.0}) {
      matrix.set_shift(sign * k * 1e-9);
      const bool has_factor = matrix.solver.factorize_single(matrix.H, matrix.work) != nullptr;
      if (sign > 0.0) {
        EXPECT_TRUE(has_factor) << k;
      }
      if (made_first.factorize(matrix.H, values) != End::kUnsure) continue;
      EXPECT_EQ(has_factor, sign > 0.0) << k;
      ++decided;
    }
  EXPECT_GT(decided, 0);
}

TEST(Multifrontal, OfWhatIsNotFiniteThereIsNoFactor) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()})
    for (const int vertex : {0, 700, 1680}) {
      ShiftedLaplacian matrix;
      matrix.H.block(matrix.pattern.diagonal_slot(vertex))(1, 1) = bad;
      EXPECT_FALSE(matrix.solver.factorize_single(matrix.H, matrix.work)) << bad << " at vertex " << vertex;
      EXPECT_FALSE(matrix.solver.factorize_rounded(matrix.H, matrix.work)) << bad << " at vertex " << vertex;
      EXPECT_FALSE(matrix.solver.factorize(matrix.H, matrix.work)) << bad << " at vertex " << vertex;
    }
}

TEST(Multifrontal, WhatOverflowsInSinglePrecisionIsLeftToDouble) {
  ShiftedLaplacian matrix;
  const Multifrontal cut(matrix.pattern, matrix.layout(50000));
  matrix.H.block(matrix.pattern.diagonal_slot(700))(1, 1) = 1e60;
  PageVector<float> values;
  EXPECT_EQ(cut.factorize(matrix.H, values), End::kUnsure);
  const auto factor = matrix.solver.factorize_single(matrix.H, matrix.work);
  ASSERT_TRUE(factor);
  VecX x;
  factor->solve(VecX::Ones(3 * matrix.pattern.rows()), x);
  EXPECT_TRUE(x.allFinite());
}

}  // namespace
}  // namespace keydrape
