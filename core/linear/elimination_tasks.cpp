#include "core/linear/elimination_tasks.h"

#include <algorithm>
#include <cassert>
#include <span>

#include "core/linear/single_factor.h"

namespace keydrape {

class EliminationTasks::Builder {
 public:
  Builder(const SupernodalLayout& layout, size_t grain, EliminationTasks& out)
      : layout_(layout), grain_(grain), out_(out), task_of_(layout.supernode_count()) {
    const int count = layout.supernode_count();
    const std::vector<int> supernode_of = layout.supernode_of_columns();
    children_.resize(count + 1);
    size_.resize(count + 1);
    first_.resize(count + 1);
    for (int k = 0; k <= count; ++k) first_[k] = k;
    for (int k = 0; k < count; ++k) {
      const std::span<const int> below = layout.rows_below(k);
      const int parent = below.empty() ? count : supernode_of[below.front()];
      assert(parent > k);
      size_[k] += layout.values_begin[k + 1] - layout.values_begin[k];
      size_[parent] += size_[k];
      first_[parent] = std::min(first_[parent], first_[k]);
      children_[parent].push_back(k);
    }
  }

  void build() {
    add_task(layout_.supernode_count());
    const int count = layout_.supernode_count();
    out_.supernode_count_ = count;
    out_.begin_ = {0};
    for (int k = 0; k < count; ++k) add_places(layout_.rows_below(k), task_of_[k]);
    std::vector<int> parent(out_.tasks_.size(), -1);
    for (size_t t = 0; t < parent.size(); ++t)
      for (const int child : out_.tasks_[t].children) parent[child] = static_cast<int>(t);
    for (size_t t = 0; t + 1 < parent.size(); ++t) add_places(update_rows(static_cast<int>(t)), parent[t]);
  }

 private:
  // Of a task without a parent: none.
  std::span<const int> update_rows(int t) const {
    return last_[t] == layout_.supernode_count() ? std::span<const int>() : layout_.rows_below(last_[t]);
  }

  // The task that ends with supernode k, or with all that there are: small subtrees go with what they hang
  // on, and what has one large subtree goes with that.
  int add_task(int k) {
    Task task;
    std::vector<int> large;
    const int last = k;
    while (true) {
      if (k < layout_.supernode_count()) task.supernodes.push_back(k);
      large.clear();
      for (const int child : children_[k]) {
        if (size_[child] >= grain_) {
          large.push_back(child);
        } else {
          for (int j = first_[child]; j <= child; ++j) task.supernodes.push_back(j);
        }
      }
      if (large.size() != 1) break;
      k = large.front();
    }
    std::sort(task.supernodes.begin(), task.supernodes.end());
    for (const int child : large) task.children.push_back(add_task(child));
    const int t = static_cast<int>(out_.tasks_.size());
    for (const int j : task.supernodes) task_of_[j] = t;
    last_.push_back(last);
    task.update_begin = out_.updates_size_;
    task.update_size = update_rows(t).size();
    out_.updates_size_ += task.update_size;
    out_.tasks_.push_back(std::move(task));
    return t;
  }

  void add_places(std::span<const int> rows, int t) {
    const int end = layout_.first_column[std::min(last_[t] + 1, layout_.supernode_count())];
    const std::span<const int> beyond = update_rows(t);
    int inside = 0;
    for (const int row : rows) {
      if (row < end) {
        out_.places_.push_back(row);
        ++inside;
        continue;
      }
      const auto found = std::lower_bound(beyond.begin(), beyond.end(), row);
      assert(found != beyond.end() && *found == row);
      out_.places_.push_back(static_cast<int>(found - beyond.begin()));
    }
    out_.inside_.push_back(inside);
    out_.begin_.push_back(static_cast<int>(out_.places_.size()));
  }

  const SupernodalLayout& layout_;
  size_t grain_;
  EliminationTasks& out_;
  // Of supernodes, and of one more on which all roots hang.
  std::vector<std::vector<int>> children_;
  std::vector<size_t> size_;  // values in the subtree
  std::vector<int> first_;    // supernode of the subtree
  std::vector<int> task_of_;
  std::vector<int> last_;  // supernode of each task
};

EliminationTasks::EliminationTasks(const SupernodalLayout& layout, size_t grain) {
  Builder(layout, grain, *this).build();
}

}  // namespace keydrape
