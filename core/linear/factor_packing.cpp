#include "core/linear/factor_packing.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cassert>

namespace keydrape {

FactorPacking::FactorPacking(const SupernodalLayout& wide, std::shared_ptr<const SupernodalLayout> packed)
    : packed_(std::move(packed)) {
  assert(wide.order == packed_->order);
  int of_wide = 0;
  for (int k = 0; k < packed_->supernode_count(); ++k) {
    const auto row = packed_->rows_of(k);
    const int begin = packed_->first_column[k], end = packed_->first_column[k + 1];
    for (int column = begin; column < end;) {
      while (wide.first_column[of_wide + 1] <= column) ++of_wide;
      const int columns = std::min(end, wide.first_column[of_wide + 1]) - column;
      const size_t rows = wide.row_count(of_wide);
      pieces_.push_back({k, column, columns,
                         wide.values_begin[of_wide] + (column - wide.first_column[of_wide]) * rows, rows,
                         places_.size()});
      const auto of_rows = wide.rows_of(of_wide);
      for (int i = column - begin; i < packed_->row_count(k); ++i) {
        const auto found = std::lower_bound(of_rows.begin(), of_rows.end(), row[i]);
        places_.push_back(
            found != of_rows.end() && *found == row[i] ? static_cast<int>(found - of_rows.begin()) : -1);
      }
      column += columns;
    }
  }
}

size_t FactorPacking::memory_bytes() const {
  return pieces_.size() * sizeof(Piece) + places_.size() * sizeof(int);
}

// The lower triangle: what is stored above the diagonal is not looked at.
SingleFactor FactorPacking::round(const double* L) const {
  PageVector<float> values(packed_->values_begin.back());
  tbb::parallel_for(size_t{0}, pieces_.size(), [&](size_t p) { round(pieces_[p], L, values.data()); });
  return {packed_, std::move(values)};
}

void FactorPacking::round(const Piece& piece, const double* L, float* values) const {
  const int k = piece.supernode, above = piece.first_column - packed_->first_column[k];
  const int rows = packed_->row_count(k) - above;
  const int* const place = places_.data() + piece.places_begin;
  for (int j = 0; j < piece.columns; ++j) {
    const double* const from = L + piece.from + j * piece.from_rows;
    float* const to =
        values + packed_->values_begin[k] + static_cast<size_t>(above + j) * packed_->row_count(k) + above;
    for (int i = j; i < rows; ++i)
      if (place[i] >= 0) to[i] = static_cast<float>(from[place[i]]);
  }
}

}  // namespace keydrape
