#include "core/linear/multifrontal.h"

#include <cblas.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

// Of LAPACK, which comes without a header of its own.
extern "C" {
void spotrf_(const char* uplo, const int* n, float* a, const int* lda, int* info);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
}

namespace keydrape {

namespace {

// A pivot that is not positive, but less than this share of what stood in its place at first, may be positive
// but for rounding.
template <class Real>
constexpr double kRounding = 100.0 * std::numeric_limits<Real>::epsilon();

// A matrix by columns within a larger one.
template <class Real>
struct Panel {
  Real* values;
  int stride;  // from one column to the next
};

// The routines of BLAS and LAPACK in one precision.
template <class Real>
struct Blas;
template <>
struct Blas<float> {
  static constexpr auto potrf = spotrf_;
  static constexpr auto trsm = cblas_strsm;
  static constexpr auto gemm = cblas_sgemm;
  static constexpr auto syrk = cblas_ssyrk;
};
template <>
struct Blas<double> {
  static constexpr auto potrf = dpotrf_;
  static constexpr auto trsm = cblas_dtrsm;
  static constexpr auto gemm = cblas_dgemm;
  static constexpr auto syrk = cblas_dsyrk;
};

// A <- L, L L^T = A. Returns 0, or 1 + the column whose pivot is not positive.
template <class Real>
int factorize_dense(int size, Panel<Real> A) {
  int info = 0;
  Blas<Real>::potrf("L", &size, A.values, &A.stride, &info);
  return info;
}

// B <- B L^-T
template <class Real>
void divide(int rows, int columns, Panel<Real> L, Panel<Real> B) {
  Blas<Real>::trsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, rows, columns, Real{1},
                   L.values, L.stride, B.values, B.stride);
}

// C <- C - A A^T, the lower triangle.   C: size x size, A: size x columns
template <class Real>
void subtract_square(int size, int columns, Panel<Real> A, Panel<Real> C) {
  Blas<Real>::syrk(CblasColMajor, CblasLower, CblasNoTrans, size, columns, Real{-1}, A.values, A.stride,
                   Real{1}, C.values, C.stride);
}

// C <- C - A B^T.   C: rows x size, A: rows x columns, B: size x columns
template <class Real>
void subtract_product(int rows, int size, int columns, Panel<Real> A, Panel<Real> B, Panel<Real> C) {
  Blas<Real>::gemm(CblasColMajor, CblasNoTrans, CblasTrans, rows, size, columns, Real{-1}, A.values, A.stride,
                   B.values, B.stride, Real{1}, C.values, C.stride);
}

// Rows of a supernode that are done at a time, in parallel: so many on every machine, since sums are in the
// order that this says.
constexpr int kBlockRows = 256;

// Counts in begin[k + 1] to where what belongs to k begins.
void accumulate(std::vector<int>& begin) { std::partial_sum(begin.begin(), begin.end(), begin.begin()); }

}  // namespace

Multifrontal::Multifrontal(const BlockPattern& pattern, std::shared_ptr<const SupernodalLayout> layout)
    : layout_(std::move(layout)) {
  const std::vector<int> supernode_of = layout_->supernode_of_columns();
  find_parents(supernode_of);
  find_entries(pattern, supernode_of);
}

// The tree of the supernodes, and where in its parent each finds its rows.
void Multifrontal::find_parents(const std::vector<int>& supernode_of) {
  const SupernodalLayout& l = *layout_;
  const int count = l.supernode_count();
  std::vector<int> parent(count, -1);
  children_begin_.assign(count + 1, 0);
  places_begin_.assign(count + 1, 0);
  for (int k = 0; k < count; ++k) {
    const auto below = l.rows_below(k);
    if (!below.empty()) {
      parent[k] = supernode_of[below.front()];
      ++children_begin_[parent[k] + 1];
      const auto of_parent = l.rows_of(parent[k]);
      auto at = of_parent.begin();
      for (const int row : below) {
        at = std::lower_bound(at, of_parent.end(), row);
        assert(at != of_parent.end() && *at == row);
        places_.push_back(static_cast<int>(at - of_parent.begin()));
      }
    }
    places_begin_[k + 1] = places_.size();
  }
  accumulate(children_begin_);
  children_.resize(children_begin_[count]);
  std::vector<int> next(children_begin_.begin(), children_begin_.end() - 1);
  for (int k = 0; k < count; ++k)
    if (parent[k] >= 0) children_[next[parent[k]]++] = k;
}

// Where the blocks of H, of its lower triangle as it is stored, go.
void Multifrontal::find_entries(const BlockPattern& pattern, const std::vector<int>& supernode_of) {
  const SupernodalLayout& l = *layout_;
  const int n = pattern.rows(), count = l.supernode_count();
  std::vector<int> place(n);  // of a vertex: its first row of L
  for (size_t i = 0; i < l.order.size(); i += 3) {
    assert(l.order[i] % 3 == 0 && l.order[i + 1] == l.order[i] + 1 && l.order[i + 2] == l.order[i] + 2);
    place[l.order[i] / 3] = static_cast<int>(i);
  }
  const auto for_each_block = [&](const auto& body) {
    for (int i = 0; i < n; ++i)
      for (int s = pattern.row_begin(i); s <= pattern.diagonal_slot(i); ++s) {
        const int j = pattern.column(s), column = std::min(place[i], place[j]);
        body(s, place[i] < place[j], std::max(place[i], place[j]), column, supernode_of[column]);
      }
  };
  entries_begin_.assign(count + 1, 0);
  for_each_block([&](int, bool, int, int, int k) { ++entries_begin_[k + 1]; });
  accumulate(entries_begin_);
  entries_.resize(entries_begin_[count]);
  std::vector<int> next(entries_begin_.begin(), entries_begin_.end() - 1);
  for_each_block([&](int slot, bool transposed, int row, int column, int k) {
    const auto rows = l.rows_of(k);
    const auto found = std::lower_bound(rows.begin(), rows.end(), row);
    assert(found != rows.end() && *found == row);
    const size_t column_begin =
        l.values_begin[k] + static_cast<size_t>(column - l.first_column[k]) * rows.size();
    entries_[next[k]++] = {slot, transposed, column_begin + (found - rows.begin())};
  });
}

// One factorisation, task by task of the elimination tree.
template <class Real>
class Multifrontal::Factorization {
 public:
  Factorization(const Multifrontal& plan, const BlockMatrix& H, PageVector<Real>& values)
      : plan_(plan),
        layout_(*plan.layout_),
        H_(H),
        values_(values.data()),
        updates_(layout_.supernode_count()) {}

  End run() { return eliminate_task(layout_.tasks.root()); }

 private:
  End eliminate_task(int t) {
    const EliminationTasks::Task& task = layout_.tasks[t];
    std::vector<End> ends(task.children.size() + 1, End::kDone);
    tbb::parallel_for(0, static_cast<int>(task.children.size()),
                      [&](int c) { ends[c] = eliminate_task(task.children[c]); });
    End end = *std::max_element(ends.begin(), ends.end());
    for (const int k : task.supernodes) {
      // What is indefinite may stop all tasks, since that is the answer whatever becomes of the others. What
      // is unsure may not: which task came first would then decide between the two.
      if (end != End::kDone || indefinite_.load(std::memory_order_relaxed)) break;
      end = eliminate(k);
    }
    if (end == End::kIndefinite) indefinite_.store(true, std::memory_order_relaxed);
    return end;
  }

  End eliminate(int k) {
    const int rows = layout_.row_count(k), columns = layout_.column_count(k), below = rows - columns;
    Real* const panel = values_ + layout_.values_begin[k];
    std::fill_n(panel, static_cast<size_t>(rows) * columns, Real{0});
    add_entries(k);
    std::unique_ptr<Real[]> update;
    if (below > 0) {
      update = std::make_unique_for_overwrite<Real[]>(static_cast<size_t>(below) * below);
      for (int j = 0; j < below; ++j)
        std::fill_n(update.get() + static_cast<size_t>(j) * below + j, below - j, Real{0});
    }
    for (int c = plan_.children_begin_[k]; c < plan_.children_begin_[k + 1]; ++c)
      add_update(plan_.children_[c], panel, rows, columns, update.get());
    if (const int info = factorize_dense<Real>(columns, {panel, rows}); info != 0) {
      const int failed = info - 1;
      return judge(layout_.first_column[k] + failed, panel[static_cast<size_t>(failed) * rows + failed]);
    }
    if (below > 0) {
      const int blocks = (below + kBlockRows - 1) / kBlockRows;
      Real* const L = panel + columns;
      tbb::parallel_for(0, blocks, [&](int b) {
        const int first = b * kBlockRows, size = std::min(kBlockRows, below - first);
        divide<Real>(size, columns, {panel, rows}, {L + first, rows});
      });
      tbb::parallel_for(0, blocks, [&](int b) {
        const int first = b * kBlockRows, size = std::min(kBlockRows, below - first);
        const int next = first + size, rest = below - next;
        const Panel<Real> ours{L + first, rows};
        Real* const U = update.get() + static_cast<size_t>(first) * below + first;
        subtract_square<Real>(size, columns, ours, {U, below});
        if (rest > 0) subtract_product<Real>(rest, size, columns, {L + next, rows}, ours, {U + size, below});
      });
      updates_[k] = std::move(update);
    }
    for (int j = 0; j < columns; ++j) {
      Real& diagonal = panel[static_cast<size_t>(j) * rows + j];
      if (!std::isfinite(diagonal)) return End::kUnsure;
      diagonal = Real{1} / diagonal;
    }
    return End::kDone;
  }

  // Column i of L has this pivot, which is not positive.
  End judge(int i, Real pivot) const {
    const int row = layout_.order[i];
    const double at_first = H_.block(H_.pattern().diagonal_slot(row / 3))(row % 3, row % 3);
    return pivot < -kRounding<Real> * at_first ? End::kIndefinite : End::kUnsure;
  }

  void add_entries(int k) {
    const int rows = layout_.row_count(k);
    for (int e = plan_.entries_begin_[k]; e < plan_.entries_begin_[k + 1]; ++e) {
      const Entry& entry = plan_.entries_[e];
      const auto block = H_.block(entry.slot);
      Real* to = values_ + entry.to;
      for (int c = 0; c < 3; ++c, to += rows)
        for (int r = 0; r < 3; ++r) to[r] = static_cast<Real>(entry.transposed ? block(c, r) : block(r, c));
    }
  }

  // The update matrix of supernode `child` to that of its parent, and to the parent's own columns.
  void add_update(int child, Real* panel, int rows, int columns, Real* update) {
    const int* place = plan_.places_.data() + plan_.places_begin_[child];
    const int count = static_cast<int>(plan_.places_begin_[child + 1] - plan_.places_begin_[child]);
    const Real* from = updates_[child].get();
    for (int j = 0; j < count; ++j, from += count) {
      Real* const to = place[j] < columns
                           ? panel + static_cast<size_t>(place[j]) * rows
                           : update + static_cast<size_t>(place[j] - columns) * (rows - columns) - columns;
      for (int i = j; i < count; ++i) to[place[i]] += from[i];
    }
    updates_[child].reset();
  }

  const Multifrontal& plan_;
  const SupernodalLayout& layout_;
  const BlockMatrix& H_;
  Real* values_;
  std::vector<std::unique_ptr<Real[]>> updates_;  // of each supernode, by columns, the lower triangle
  std::atomic<bool> indefinite_ = false;
};

template <class Real>
Multifrontal::End Multifrontal::factorize(const BlockMatrix& H, PageVector<Real>& values) const {
  const size_t count = layout_->values_begin.back();
  if (values.capacity() < count) values = {};  // nothing of what it held is worth a copy
  values.resize(count);
  return Factorization<Real>(*this, H, values).run();
}

template Multifrontal::End Multifrontal::factorize(const BlockMatrix& H, PageVector<float>& values) const;
template Multifrontal::End Multifrontal::factorize(const BlockMatrix& H, PageVector<double>& values) const;

size_t Multifrontal::memory_bytes() const {
  return entries_.size() * sizeof(Entry) + places_.size() * sizeof(int);
}

}  // namespace keydrape
