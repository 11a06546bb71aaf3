#pragma once

#include <cstddef>
#include <vector>

namespace keydrape {

struct SupernodalLayout;

// The elimination tree of a supernodal factor cut into tasks (Liu 1990): a task needs its children and
// nothing else, so that children are eliminated in parallel. What it adds to rows beyond its own columns
// it keeps to itself, as an update vector over the rows below its last supernode (the multifrontal
// method, Duff & Reid 1983); its parent adds up those of its children in their order. So the bits do not
// depend on threads.
class EliminationTasks {
 public:
  struct Task {
    std::vector<int> children;    // tasks
    std::vector<int> supernodes;  // eliminated after the children, ascending
    size_t update_begin = 0;      // its update vector, among those of all tasks
    size_t update_size = 0;
  };
  // Where rows are found in a task: the first `inside` are rows of its own, the others entries of
  // its update vector.
  struct Places {
    const int* begin;
    int count, inside;
  };

  EliminationTasks() = default;
  // Requires columns in postorder, as CHOLMOD leaves them. A subtree with fewer values than `grain`
  // is not cut.
  EliminationTasks(const SupernodalLayout& layout, size_t grain);

  int root() const { return static_cast<int>(tasks_.size()) - 1; }
  const Task& operator[](int t) const { return tasks_[t]; }
  size_t updates_size() const { return updates_size_; }  // of all tasks
  // Of the rows below supernode k, in its task.
  Places below(int k) const { return places(k); }
  // Of the rows of task t's update vector, in its parent.
  Places update(int t) const { return places(supernode_count_ + t); }

 private:
  class Builder;
  Places places(int list) const {
    return {places_.data() + begin_[list], begin_[list + 1] - begin_[list], inside_[list]};
  }

  std::vector<Task> tasks_;  // children before parents
  int supernode_count_ = 0;
  std::vector<int> places_, begin_, inside_;  // lists: of supernodes, then of tasks
  size_t updates_size_ = 0;
};

}  // namespace keydrape
