#include "core/solve/multifrontal.h"

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
void strsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m,
            const int* n, const float* alpha, const float* a, const int* lda, float* b, const int* ldb);
void sgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
            const float* beta, float* c, const int* ldc);
void ssyrk_(const char* uplo, const char* trans, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* beta, float* c, const int* ldc);
}

namespace keydrape {

namespace {

// A pivot that is not positive, but less than this share of what stood in its place at first, may be positive
// but for rounding.
constexpr float kRounding = 100 * std::numeric_limits<float>::epsilon();

// Rows of a supernode that are done at a time, in parallel: so many on every machine, since sums are in the
// order that this says.
constexpr int kBlockRows = 256;

constexpr float kOne = 1.0f, kMinusOne = -1.0f;

// Counts in begin[k + 1] to where what belongs to k begins.
void accumulate(std::vector<int>& begin) { std::partial_sum(begin.begin(), begin.end(), begin.begin()); }

}  // namespace

Multifrontal::Multifrontal(const BlockPattern& pattern, std::shared_ptr<const SupernodalLayout> layout)
    : layout_(std::move(layout)) {
  std::vector<int> supernode_of(layout_->order.size());
  for (int k = 0; k < layout_->supernode_count(); ++k)
    std::fill(supernode_of.begin() + layout_->first_column[k],
              supernode_of.begin() + layout_->first_column[k + 1], k);
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
    const auto rows = rows_of(k), below = rows.subspan(l.column_count(k));
    if (!below.empty()) {
      parent[k] = supernode_of[below.front()];
      ++children_begin_[parent[k] + 1];
      const auto of_parent = rows_of(parent[k]);
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
    const auto rows = rows_of(k);
    const auto found = std::lower_bound(rows.begin(), rows.end(), row);
    assert(found != rows.end() && *found == row);
    const size_t column_begin =
        l.values_begin[k] + static_cast<size_t>(column - l.first_column[k]) * rows.size();
    entries_[next[k]++] = {slot, transposed, column_begin + (found - rows.begin())};
  });
}

// One factorisation, task by task of the elimination tree.
class Multifrontal::Factorization {
 public:
  Factorization(const Multifrontal& plan, const BlockMatrix& H, PageVector<float>& values)
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
    float* const panel = values_ + layout_.values_begin[k];
    std::fill_n(panel, static_cast<size_t>(rows) * columns, 0.0f);
    add_entries(k);
    std::unique_ptr<float[]> update;
    if (below > 0) {
      update = std::make_unique_for_overwrite<float[]>(static_cast<size_t>(below) * below);
      for (int j = 0; j < below; ++j)
        std::fill_n(update.get() + static_cast<size_t>(j) * below + j, below - j, 0.0f);
    }
    for (int c = plan_.children_begin_[k]; c < plan_.children_begin_[k + 1]; ++c)
      add_update(plan_.children_[c], panel, rows, columns, update.get());
    int info = 0;
    spotrf_("L", &columns, panel, &rows, &info);
    if (info != 0) {
      const int failed = info - 1;
      return judge(layout_.first_column[k] + failed, panel[static_cast<size_t>(failed) * rows + failed]);
    }
    if (below > 0) {
      const int blocks = (below + kBlockRows - 1) / kBlockRows;
      float* const L = panel + columns;
      tbb::parallel_for(0, blocks, [&](int b) {
        const int first = b * kBlockRows, size = std::min(kBlockRows, below - first);
        strsm_("R", "L", "T", "N", &size, &columns, &kOne, panel, &rows, L + first, &rows);
      });
      tbb::parallel_for(0, blocks, [&](int b) {
        const int first = b * kBlockRows, size = std::min(kBlockRows, below - first);
        const int next = first + size, rest = below - next;
        float* const U = update.get() + static_cast<size_t>(first) * below + first;
        ssyrk_("L", "N", &size, &columns, &kMinusOne, L + first, &rows, &kOne, U, &below);
        if (rest > 0)
          sgemm_("N", "T", &rest, &size, &columns, &kMinusOne, L + next, &rows, L + first, &rows, &kOne,
                 U + size, &below);
      });
      updates_[k] = std::move(update);
    }
    for (int j = 0; j < columns; ++j) {
      float& diagonal = panel[static_cast<size_t>(j) * rows + j];
      if (!std::isfinite(diagonal)) return End::kUnsure;
      diagonal = 1.0f / diagonal;
    }
    return End::kDone;
  }

  // Column i of L has this pivot, which is not positive.
  End judge(int i, float pivot) const {
    const int row = layout_.order[i];
    const double at_first = H_.block(H_.pattern().diagonal_slot(row / 3))(row % 3, row % 3);
    return pivot < -kRounding * at_first ? End::kIndefinite : End::kUnsure;
  }

  void add_entries(int k) {
    const int rows = layout_.row_count(k);
    for (int e = plan_.entries_begin_[k]; e < plan_.entries_begin_[k + 1]; ++e) {
      const Entry& entry = plan_.entries_[e];
      const auto block = H_.block(entry.slot);
      float* to = values_ + entry.to;
      for (int c = 0; c < 3; ++c, to += rows)
        for (int r = 0; r < 3; ++r) to[r] = static_cast<float>(entry.transposed ? block(c, r) : block(r, c));
    }
  }

  // The update matrix of supernode `child` to that of its parent, and to the parent's own columns.
  void add_update(int child, float* panel, int rows, int columns, float* update) {
    const int* place = plan_.places_.data() + plan_.places_begin_[child];
    const int count = static_cast<int>(plan_.places_begin_[child + 1] - plan_.places_begin_[child]);
    const float* from = updates_[child].get();
    for (int j = 0; j < count; ++j, from += count) {
      float* const to = place[j] < columns
                            ? panel + static_cast<size_t>(place[j]) * rows
                            : update + static_cast<size_t>(place[j] - columns) * (rows - columns) - columns;
      for (int i = j; i < count; ++i) to[place[i]] += from[i];
    }
    updates_[child].reset();
  }

  const Multifrontal& plan_;
  const SupernodalLayout& layout_;
  const BlockMatrix& H_;
  float* values_;
  std::vector<std::unique_ptr<float[]>> updates_;  // of each supernode, by columns, the lower triangle
  std::atomic<bool> indefinite_ = false;
};

Multifrontal::End Multifrontal::factorize(const BlockMatrix& H, PageVector<float>& values) const {
  values.resize(layout_->values_begin.back());
  return Factorization(*this, H, values).run();
}

size_t Multifrontal::memory_bytes() const {
  return entries_.size() * sizeof(Entry) + places_.size() * sizeof(int);
}

}  // namespace keydrape
