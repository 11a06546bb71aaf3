#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/page_vector.h"
#include "core/base/types.h"
#include "core/linear/elimination_tasks.h"

namespace keydrape {

// Which entries of a supernodal Cholesky factor may be other than zero. Supernode k is a dense trapezoid,
// stored by columns: its columns are first_column[k] to first_column[k + 1] of L, its rows those listed from
// rows_begin[k] to rows_begin[k + 1] in `rows`, ascending, its own columns first; its values start at
// values_begin[k]. Columns are in postorder of the elimination tree.
struct SupernodalLayout {
  std::vector<int> first_column, rows_begin, rows;
  std::vector<size_t> values_begin;
  std::vector<int> order;  // row i of L is row order[i] of the matrix
  EliminationTasks tasks;

  int supernode_count() const { return static_cast<int>(first_column.size()) - 1; }
  int column_count(int k) const { return first_column[k + 1] - first_column[k]; }
  int row_count(int k) const { return rows_begin[k + 1] - rows_begin[k]; }
  std::span<const int> rows_of(int k) const {
    return {rows.data() + rows_begin[k], static_cast<size_t>(row_count(k))};
  }
  std::span<const int> rows_below(int k) const { return rows_of(k).subspan(column_count(k)); }
  std::vector<int> supernode_of_columns() const;
};

// A Cholesky factor L L^T = H rounded to single precision: a preconditioner. Triangular solves wait for
// memory, so that half the bytes are some twice as fast; subtrees are solved in parallel. Products with H
// stay in double precision, and conjugate gradients make up for the rounding. Immutable.
class SingleFactor {
 public:
  // values: L in the layout's order, with the reciprocals of its diagonal.
  SingleFactor(std::shared_ptr<const SupernodalLayout> layout, PageVector<float> values);

  // x = H^-1 b but for rounding, of the order of the condition number times 6e-8.
  // b, x: 3n, two vectors.
  void solve(const VecX& b, VecX& x) const;
  size_t memory_bytes() const { return values_.size() * sizeof(float); }

  const std::shared_ptr<const SupernodalLayout>& layout() const { return layout_; }
  const PageVector<float>& values() const { return values_; }
  PageVector<float> release_values() && { return std::move(values_); }

 private:
  class Solve;

  std::shared_ptr<const SupernodalLayout> layout_;
  PageVector<float> values_;  // of L, with the reciprocals of its diagonal
};

}  // namespace keydrape
