#pragma once

#include <utility>

#include "core/linear/block_matrix.h"

namespace keydrape {

// A symmetric block matrix, of which only the blocks on and above the diagonal are stored: half the memory of
// a BlockMatrix, for matrices that are kept. The pattern outlives it.
class SymmetricMatrix {
 public:
  explicit SymmetricMatrix(const BlockMatrix& symmetric);  // its upper triangle
  // One whose values() were kept elsewhere.
  SymmetricMatrix(const BlockPattern& pattern, PageVector<double> values);

  const BlockPattern& pattern() const { return *pattern_; }
  size_t memory_bytes() const { return values_.size() * sizeof(double); }
  static size_t memory_bytes(const BlockPattern& pattern);  // of a matrix of that pattern

  const PageVector<double>& values() const { return values_; }
  PageVector<double> release_values() && { return std::move(values_); }

  BlockMatrix expanded() const;  // both triangles
  // out = A x, out = |A| |x|. Requires x and out of size 3 rows(), not the same vector. On one thread: the
  // order of summation is fixed.
  void multiply(const VecX& x, VecX& out) const;
  void multiply_absolute(const VecX& x, VecX& out) const;

 private:
  const BlockPattern* pattern_;
  PageVector<double> values_;  // 9 a block, by rows of blocks from the diagonal on; each block column-major
};

}  // namespace keydrape
