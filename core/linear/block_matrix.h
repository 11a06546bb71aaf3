#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/base/page_vector.h"
#include "core/base/types.h"

namespace keydrape {

// Which 3x3 blocks of a square block matrix may be other than zero. Structurally symmetric, the diagonal
// included, stored by rows with ascending columns. Never changes after construction.
class BlockPattern {
 public:
  // Couples every pair of vertices that stands in `pairs` (in either order, repeats allowed) and each vertex
  // with itself. Requires 0 <= vertex < vertex_count.
  BlockPattern(int vertex_count, std::span<const Edge> pairs);

  int rows() const { return static_cast<int>(row_begin_.size()) - 1; }
  int block_count() const { return static_cast<int>(column_.size()); }
  int row_begin(int i) const { return row_begin_[i]; }
  int row_end(int i) const { return row_begin_[i + 1]; }
  int column(int slot) const { return column_[slot]; }
  int diagonal_slot(int i) const { return diagonal_slot_[i]; }
  // The slot of block (j, i), where `slot` is that of (i, j).
  int transpose_slot(int slot) const { return transpose_slot_[slot]; }
  // The slot of block (i, j). Requires that the pattern couples i and j.
  int slot(int i, int j) const;
  bool has_slot(int i, int j) const;
  size_t memory_bytes() const { return sizeof(int) * (2 * column_.size() + 2 * row_begin_.size()); }

 private:
  std::vector<int> row_begin_, column_, diagonal_slot_, transpose_slot_;
};

// A sparse matrix of 3x3 blocks over a pattern that outlives it. Both triangles are stored: products then run
// over rows in parallel and give the same bits for every number of threads.
class BlockMatrix {
 public:
  explicit BlockMatrix(const BlockPattern& pattern)
      : pattern_(&pattern), values_(9 * static_cast<size_t>(pattern.block_count()), 0.0) {}
  // One whose values() were kept elsewhere.
  BlockMatrix(const BlockPattern& pattern, PageVector<double> values);

  const BlockPattern& pattern() const { return *pattern_; }
  auto block(int slot) { return Eigen::Map<Mat3>(values_.data() + 9 * static_cast<size_t>(slot)); }
  auto block(int slot) const {
    return Eigen::Map<const Mat3>(values_.data() + 9 * static_cast<size_t>(slot));
  }
  size_t memory_bytes() const { return values_.size() * sizeof(double); }

  const PageVector<double>& values() const { return values_; }
  PageVector<double> release_values() && { return std::move(values_); }

  void set_zero();
  void copy_values(const BlockMatrix& other);  // requires the same pattern
  // Sets every block below the diagonal to the transpose of its mirror image above.
  void mirror_upper();

  bool all_finite() const;

  // out = A x, out = A^T x. Requires x and out of size 3 rows(), not the same vector.
  void multiply(const VecX& x, VecX& out) const;
  void multiply_transposed(const VecX& x, VecX& out) const;
  // out = |A| |x|, absolute values entry by entry: times the machine's epsilon, what rounding x does to A x.
  void multiply_absolute(const VecX& x, VecX& out) const;

 private:
  const BlockPattern* pattern_;
  PageVector<double> values_;  // 9 a slot, column-major
};

}  // namespace keydrape
