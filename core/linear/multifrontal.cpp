#include "core/linear/multifrontal.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

// Of BLAS and LAPACK, matrices by columns.
extern "C" {
void spotrf_(const char* uplo, const int* n, float* a, const int* lda, int* info);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void strsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m,
            const int* n, const float* alpha, const float* a, const int* lda, float* b, const int* ldb);
void dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m,
            const int* n, const double* alpha, const double* a, const int* lda, double* b, const int* ldb);
void sgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
            const float* beta, float* c, const int* ldc);
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc);
void ssyrk_(const char* uplo, const char* trans, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* beta, float* c, const int* ldc);
void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* beta, double* c, const int* ldc);
}

namespace keydrape {

namespace {

// A pivot that is not positive, but less than this share of what stood in its place at first, may be positive
// but for rounding.
template <class Real>
constexpr double kRounding = 100.0 * std::numeric_limits<Real>::epsilon();

template <class Real>
struct Blas;
template <>
struct Blas<float> {
  static constexpr auto potrf = spotrf_;
  static constexpr auto trsm = strsm_;
  static constexpr auto gemm = sgemm_;
  static constexpr auto syrk = ssyrk_;
};
template <>
struct Blas<double> {
  static constexpr auto potrf = dpotrf_;
  static constexpr auto trsm = dtrsm_;
  static constexpr auto gemm = dgemm_;
  static constexpr auto syrk = dsyrk_;
};

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
  static constexpr Real kOne = 1, kMinusOne = -1;

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
    int info = 0;
    Blas<Real>::potrf("L", &columns, panel, &rows, &info);
    if (info != 0) {
      const int failed = info - 1;
      return judge(layout_.first_column[k] + failed, panel[static_cast<size_t>(failed) * rows + failed]);
    }
    if (below > 0) {
      const int blocks = (below + kBlockRows - 1) / kBlockRows;
      Real* const L = panel + columns;
      tbb::parallel_for(0, blocks, [&](int b) {
        const int first = b * kBlockRows, size = std::min(kBlockRows, below - first);
        Blas<Real>::trsm("R", "L", "T", "N", &size, &columns, &kOne, panel, &rows, L + first, &rows);
      });
      tbb::parallel_for(0, blocks, [&](int b) {
        const int first = b * kBlockRows, size = std::min(kBlockRows, below - first);
        const int next = first + size, rest = below - next;
        Real* const U = update.get() + static_cast<size_t>(first) * below + first;
        Blas<Real>::syrk("L", "N", &size, &columns, &kMinusOne, L + first, &rows, &kOne, U, &below);
        if (rest > 0)
          Blas<Real>::gemm("N", "T", &rest, &size, &columns, &kMinusOne, L + next, &rows, L + first, &rows,
                           &kOne, U + size, &below);
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
  values.resize(layout_->values_begin.back());
  return Factorization<Real>(*this, H, values).run();
}

template Multifrontal::End Multifrontal::factorize(const BlockMatrix& H, PageVector<float>& values) const;
template Multifrontal::End Multifrontal::factorize(const BlockMatrix& H, PageVector<double>& values) const;

size_t Multifrontal::memory_bytes() const {
  return entries_.size() * sizeof(Entry) + places_.size() * sizeof(int);
}

}  // namespace keydrape
