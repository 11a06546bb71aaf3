#include "core/linear/factor_packing.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <random>

#include "core/linear/cholesky.h"
#include "tests/support/meshes.h"

namespace keydrape {
namespace {

using Matrix = Eigen::MatrixXd;

// Supernodes that begin at these columns, over rows in which one of their columns of L is not zero.
SupernodalLayout layout_of(const Matrix& L, std::vector<int> first_column) {
  SupernodalLayout layout;
  const int n = static_cast<int>(L.rows());
  first_column.push_back(n);
  layout.first_column = first_column;
  layout.rows_begin = {0};
  layout.values_begin = {0};
  for (int k = 0; k < layout.supernode_count(); ++k) {
    const int begin = first_column[k], columns = layout.column_count(k);
    for (int i = begin; i < n; ++i)
      if (i < begin + columns || !L.block(i, begin, 1, columns).isZero(0.0)) layout.rows.push_back(i);
    layout.rows_begin.push_back(static_cast<int>(layout.rows.size()));
    layout.values_begin.push_back(layout.values_begin.back() +
                                  static_cast<size_t>(columns) * layout.row_count(k));
  }
  for (int i = 0; i < n; ++i) layout.order.push_back(i);
  layout.tasks = EliminationTasks(layout, 1);
  return layout;
}

// With the reciprocals of the diagonal, and with what is above it, which nobody may look at, not a number.
std::vector<double> values_of(const Matrix& L, const SupernodalLayout& layout) {
  std::vector<double> values;
  for (int k = 0; k < layout.supernode_count(); ++k)
    for (int j = layout.first_column[k]; j < layout.first_column[k + 1]; ++j)
      for (int r = layout.rows_begin[k]; r < layout.rows_begin[k + 1]; ++r) {
        const int i = layout.rows[r];
        values.push_back(i < j ? std::nan("") : i == j ? 1.0 / L(i, i) : L(i, j));
      }
  return values;
}

// A factor of nine rows: an arrow of three blocks, so that a block's rows are not those of the next.
Matrix arrow() {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  Matrix L = Matrix::Zero(9, 9);
  const auto fill = [&](int row, int column) {
    for (int i = row; i < row + 3; ++i)
      for (int j = column; j < column + 3; ++j) L(i, j) = i > j ? number(random) : i == j ? 2.0 : 0.0;
  };
  for (const int block : {0, 3, 6}) fill(block, block), fill(6, block);
  return L;
}

void expect_same_solutions(const SingleFactor& packed, const Matrix& L) {
  const VecX b = VecX::LinSpaced(L.rows(), -1.0, 1.0);
  VecX x;
  packed.solve(b, x);
  const VecX exact = (L * L.transpose()).llt().solve(b);
  EXPECT_LT((x - exact).norm(), 1e-5 * exact.norm());
}

TEST(FactorPacking, TakesWhatEverySupernodeHoldsFromWhereItIs) {
  const Matrix L = arrow();
  const std::vector<std::vector<int>> cuts{{0}, {0, 3, 6}, {0, 6}, {0, 1, 5, 8}, {0, 1, 2, 3, 4, 5, 6, 7, 8}};
  for (const auto& from : cuts)
    for (const auto& to : cuts) {
      const SupernodalLayout wide = layout_of(L, from);
      const FactorPacking packing(wide, std::make_shared<const SupernodalLayout>(layout_of(L, to)));
      expect_same_solutions(packing.round(values_of(L, wide).data()), L);
    }
}

TEST(FactorPacking, LeavesZerosOut) {
  const Matrix L = arrow();
  const SupernodalLayout wide = layout_of(L, {0});
  const FactorPacking packing(wide, std::make_shared<const SupernodalLayout>(layout_of(L, {0, 3, 6})));
  const SingleFactor packed = packing.round(values_of(L, wide).data());
  EXPECT_EQ(wide.values_begin.back(), 81u);
  EXPECT_EQ(packed.values().size(), 18u + 18u + 9u);
}

TEST(FactorPacking, MakesFactorsOfClothSmaller) {
  const TriangleMesh mesh = test::square(60, 1.0);
  const BlockPattern pattern(mesh.vertex_count(), test::edges_of(mesh));
  const CholeskySolver solver(pattern);
  EXPECT_LT(static_cast<double>(solver.kept_factor_bytes()),
            0.85 * static_cast<double>(solver.single_factor_bytes()));
}

}  // namespace
}  // namespace keydrape
