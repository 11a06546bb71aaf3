#pragma once

#include <memory>
#include <vector>

#include "core/linear/block_matrix.h"
#include "core/linear/single_factor.h"

namespace keydrape {

// L L^T = H in single or double precision (float, double) by the multifrontal method (Duff & Reid 1983), in
// the layout that CHOLMOD has found: dense parts by BLAS and LAPACK, subtrees of the layout's tasks in
// parallel. Updates are added up in a fixed order, so that the bits do not depend on threads.
class Multifrontal {
 public:
  // Requires that the layout orders vertices, the three directions of each side by side.
  Multifrontal(const BlockPattern& pattern, std::shared_ptr<const SupernodalLayout> layout);

  enum class End {
    kDone,
    kUnsure,  // a pivot is not positive, or overflows, which may be due to rounding
    kIndefinite,
  };
  // The factor of H, finite, of which only the lower triangle is read. `values`: resized; if the end is
  // kDone, L with the reciprocals of its diagonal, as in a SingleFactor.
  template <class Real>
  End factorize(const BlockMatrix& H, PageVector<Real>& values) const;

  size_t memory_bytes() const;

 private:
  template <class Real>
  class Factorization;
  // A block of H and where it goes.
  struct Entry {
    int slot;
    bool transposed;
    size_t to;  // value of L that takes its first entry
  };

  void find_parents(const std::vector<int>& supernode_of);
  void find_entries(const BlockPattern& pattern, const std::vector<int>& supernode_of);

  std::shared_ptr<const SupernodalLayout> layout_;
  std::vector<Entry> entries_;        // by supernodes
  std::vector<int> entries_begin_;    // of supernode k
  std::vector<int> children_;         // by supernodes, ascending
  std::vector<int> children_begin_;   // of supernode k
  std::vector<int> places_;           // of each row below a supernode: which of its parent's rows it is
  std::vector<size_t> places_begin_;  // of supernode k
};

}  // namespace keydrape
