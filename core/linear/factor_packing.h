#pragma once

#include <memory>
#include <vector>

#include "core/linear/single_factor.h"

namespace keydrape {

// Takes a Cholesky factor from wide supernodes, which are quick to factorise and hold many zeros, to narrower
// ones, which are kept and solved with.
class FactorPacking {
 public:
  // Requires that both order the rows alike and that `packed` has room for all that is not zero.
  FactorPacking(const SupernodalLayout& wide, std::shared_ptr<const SupernodalLayout> packed);

  const std::shared_ptr<const SupernodalLayout>& packed() const { return packed_; }
  size_t memory_bytes() const;  // of this alone

  // Rounds L, in the wide layout, with the reciprocals of its diagonal.
  SingleFactor round(const double* L) const;

 private:
  // Columns that are side by side in both layouts.
  struct Piece {
    int supernode;  // packed
    int first_column, columns;
    size_t from;       // the first column's values in the wide layout
    size_t from_rows;  // rows of a column there
    size_t places_begin;
  };

  void round(const Piece& piece, const double* L, float* values) const;

  std::shared_ptr<const SupernodalLayout> packed_;
  std::vector<Piece> pieces_;
  std::vector<int> places_;  // of a piece's rows in a column of the wide layout; -1: not there, hence zero
};

}  // namespace keydrape
