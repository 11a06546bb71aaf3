#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/linear/block_matrix.h"
#include "core/linear/cholesky.h"

namespace keydrape {

// Where H of one step may be other than zero: the model's pattern, and beyond it the couplings of cloth that
// touches itself, which come and go.
class WidePattern {
 public:
  // `base` outlives this.
  WidePattern(const BlockPattern& base, std::span<const Edge> more);

  const BlockPattern& blocks() const { return blocks_; }
  const CholeskySolver& cholesky() const { return cholesky_; }
  size_t memory_bytes() const;
  bool covers(std::span<const Edge> couplings) const;
  // wide <- base, zero elsewhere.
  void copy(const BlockMatrix& base, BlockMatrix& wide) const;

 private:
  BlockPattern blocks_;
  std::vector<int> slot_of_base_;
  CholeskySolver cholesky_;
};

// Whether a pattern has all the blocks.
bool covers(const BlockPattern& pattern, std::span<const Edge> couplings);

}  // namespace keydrape
