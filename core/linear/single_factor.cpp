#include "core/linear/single_factor.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cassert>

#include "core/base/machine_vectors.h"

// Sums may be reordered: they are by the compiler, once, so that the bits are the same on every run.
#if defined(__GNUC__) && !defined(__clang__)
#define KEYDRAPE_KERNEL       \
  KEYDRAPE_FOR_EACH_PROCESSOR \
  __attribute__((optimize("O3,associative-math,no-signed-zeros,no-trapping-math")))
#else
#define KEYDRAPE_KERNEL
#endif

namespace keydrape {

namespace {

// One supernode: the trapezoid A of `rows` x `columns` with reciprocals on its diagonal, and the part w of
// the vector that it touches. Four columns at a time: w then passes the registers a quarter as often.

// w_1 <- A_1^-1 w_1 ,  w_2 <- w_2 - A_2 w_1
KEYDRAPE_KERNEL void forward(const float* __restrict A, int rows, int columns, float* __restrict w) {
  int j = 0;
  for (; j + 4 <= columns; j += 4) {
    const float *a = A + static_cast<size_t>(j) * rows, *b = a + rows, *c = b + rows, *d = c + rows;
    const float w0 = w[j] * a[j];
    const float w1 = (w[j + 1] - a[j + 1] * w0) * b[j + 1];
    const float w2 = (w[j + 2] - a[j + 2] * w0 - b[j + 2] * w1) * c[j + 2];
    const float w3 = (w[j + 3] - a[j + 3] * w0 - b[j + 3] * w1 - c[j + 3] * w2) * d[j + 3];
    w[j] = w0, w[j + 1] = w1, w[j + 2] = w2, w[j + 3] = w3;
    for (int i = j + 4; i < rows; ++i) w[i] -= a[i] * w0 + b[i] * w1 + c[i] * w2 + d[i] * w3;
  }
  for (; j < columns; ++j) {
    const float* a = A + static_cast<size_t>(j) * rows;
    const float w0 = w[j] * a[j];
    w[j] = w0;
    for (int i = j + 1; i < rows; ++i) w[i] -= a[i] * w0;
  }
}

// w_1 <- A_1^-T (w_1 - A_2^T w_2)
KEYDRAPE_KERNEL void backward(const float* __restrict A, int rows, int columns, float* __restrict w) {
  int j = columns;
  for (; j % 4 != 0; --j) {
    const float* a = A + static_cast<size_t>(j - 1) * rows;
    float sum = 0;
    for (int i = j; i < rows; ++i) sum += a[i] * w[i];
    w[j - 1] = (w[j - 1] - sum) * a[j - 1];
  }
  for (; j > 0; j -= 4) {
    const int k = j - 4;
    const float *a = A + static_cast<size_t>(k) * rows, *b = a + rows, *c = b + rows, *d = c + rows;
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int i = j; i < rows; ++i) {
      s0 += a[i] * w[i];
      s1 += b[i] * w[i];
      s2 += c[i] * w[i];
      s3 += d[i] * w[i];
    }
    const float w3 = (w[k + 3] - s3) * d[k + 3];
    const float w2 = (w[k + 2] - s2 - c[k + 3] * w3) * c[k + 2];
    const float w1 = (w[k + 1] - s1 - b[k + 2] * w2 - b[k + 3] * w3) * b[k + 1];
    w[k] = (w[k] - s0 - a[k + 1] * w1 - a[k + 2] * w2 - a[k + 3] * w3) * a[k];
    w[k + 1] = w1, w[k + 2] = w2, w[k + 3] = w3;
  }
}

}  // namespace

std::vector<int> SupernodalLayout::supernode_of_columns() const {
  std::vector<int> supernode(order.size());
  for (int k = 0; k < supernode_count(); ++k)
    std::fill(supernode.begin() + first_column[k], supernode.begin() + first_column[k + 1], k);
  return supernode;
}

SingleFactor::SingleFactor(std::shared_ptr<const SupernodalLayout> layout, PageVector<float> values)
    : layout_(std::move(layout)), values_(std::move(values)) {
  assert(values_.size() == layout_->values_begin.back());
}

// One solve, task by task of the elimination tree.
class SingleFactor::Solve {
 public:
  Solve(const SingleFactor& factor, std::vector<float>& y)
      : layout_(*factor.layout_),
        tasks_(layout_.tasks),
        values_(factor.values_.data()),
        y_(y.data()),
        updates_(tasks_.updates_size(), 0.0f) {}

  // y <- L^-1 y
  void eliminate(int t) {
    const EliminationTasks::Task& task = tasks_[t];
    tbb::parallel_for(0, static_cast<int>(task.children.size()), [&](int c) { eliminate(task.children[c]); });
    float* const update = updates_.data() + task.update_begin;
    for (const int child : task.children) {
      const EliminationTasks::Places to = tasks_.update(child);
      const float* const of_child = updates_.data() + tasks_[child].update_begin;
      for (int i = 0; i < to.inside; ++i) y_[to.begin[i]] += of_child[i];
      for (int i = to.inside; i < to.count; ++i) update[to.begin[i]] += of_child[i];
    }
    std::vector<float> w;
    for (const int k : task.supernodes) {
      const int columns = layout_.column_count(k);
      const EliminationTasks::Places below = tasks_.below(k);
      w.resize(layout_.row_count(k));
      std::copy_n(y_ + layout_.first_column[k], columns, w.data());
      float* const w_below = w.data() + columns;
      for (int i = 0; i < below.inside; ++i) w_below[i] = y_[below.begin[i]];
      for (int i = below.inside; i < below.count; ++i) w_below[i] = update[below.begin[i]];
      forward(values_ + layout_.values_begin[k], layout_.row_count(k), columns, w.data());
      std::copy_n(w.data(), columns, y_ + layout_.first_column[k]);
      for (int i = 0; i < below.inside; ++i) y_[below.begin[i]] = w_below[i];
      for (int i = below.inside; i < below.count; ++i) update[below.begin[i]] = w_below[i];
    }
  }

  // y <- L^-T y
  void substitute(int t) {
    const EliminationTasks::Task& task = tasks_[t];
    std::vector<float> w;
    for (auto k = task.supernodes.rbegin(); k != task.supernodes.rend(); ++k) {
      const std::span<const int> row = layout_.rows_of(*k);
      const int columns = layout_.column_count(*k), rows = layout_.row_count(*k);
      w.resize(rows);
      std::copy_n(y_ + layout_.first_column[*k], columns, w.data());
      for (int i = columns; i < rows; ++i) w[i] = y_[row[i]];
      backward(values_ + layout_.values_begin[*k], rows, columns, w.data());
      std::copy_n(w.data(), columns, y_ + layout_.first_column[*k]);
    }
    tbb::parallel_for(0, static_cast<int>(task.children.size()),
                      [&](int c) { substitute(task.children[c]); });
  }

 private:
  const SupernodalLayout& layout_;
  const EliminationTasks& tasks_;
  const float* values_;
  float* y_;
  std::vector<float> updates_;
};

void SingleFactor::solve(const VecX& b, VecX& x) const {
  const SupernodalLayout& layout = *layout_;
  const size_t n = layout.order.size();
  assert(b.size() == static_cast<Eigen::Index>(n) && &b != &x);
  std::vector<float> y(n);
  for (size_t i = 0; i < n; ++i) y[i] = static_cast<float>(b(layout.order[i]));
  Solve solve(*this, y);
  solve.eliminate(layout.tasks.root());
  solve.substitute(layout.tasks.root());
  x.resize(b.size());
  for (size_t i = 0; i < n; ++i) x(layout.order[i]) = y[i];
}

}  // namespace keydrape
