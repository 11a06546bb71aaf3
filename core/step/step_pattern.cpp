#include "core/step/step_pattern.h"

#include <algorithm>

namespace keydrape {

namespace {

BlockPattern unite(const BlockPattern& base, std::span<const Edge> more) {
  std::vector<Edge> pairs(more.begin(), more.end());
  for (int i = 0; i < base.rows(); ++i)
    for (int s = base.row_begin(i); s < base.row_end(i); ++s)
      if (base.column(s) > i) pairs.push_back({i, base.column(s)});
  return BlockPattern(base.rows(), pairs);
}

}  // namespace

bool covers(const BlockPattern& pattern, std::span<const Edge> couplings) {
  return std::all_of(couplings.begin(), couplings.end(),
                     [&](const Edge& e) { return pattern.has_slot(e[0], e[1]); });
}

WidePattern::WidePattern(const BlockPattern& base, std::span<const Edge> more)
    : blocks_(unite(base, more)), cholesky_(blocks_) {
  slot_of_base_.resize(base.block_count());
  for (int i = 0; i < base.rows(); ++i)
    for (int s = base.row_begin(i); s < base.row_end(i); ++s)
      slot_of_base_[s] = blocks_.slot(i, base.column(s));
}

size_t WidePattern::memory_bytes() const {
  return cholesky_.memory_bytes() + blocks_.memory_bytes() + slot_of_base_.size() * sizeof(int);
}

bool WidePattern::covers(std::span<const Edge> couplings) const {
  return keydrape::covers(blocks_, couplings);
}

void WidePattern::copy(const BlockMatrix& base, BlockMatrix& wide) const {
  wide.set_zero();
  for (size_t s = 0; s < slot_of_base_.size(); ++s)
    wide.block(slot_of_base_[s]) = base.block(static_cast<int>(s));
}

}  // namespace keydrape
