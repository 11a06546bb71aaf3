#pragma once

#include <limits>
#include <span>
#include <vector>

#include "core/types.h"

namespace keydrape {

// An axis-aligned box; empty until something is added.
struct Box {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 high = Vec3::Constant(-std::numeric_limits<double>::infinity());

  void add(const Box& other) {
    low = low.cwiseMin(other.low);
    high = high.cwiseMax(other.high);
  }
};

// Closed boxes: those that only touch overlap.
inline bool overlap(const Box& a, const Box& b) {
  // Without branches: which of the six comparisons fails is anybody's guess.
  return (a.low.x() <= b.high.x()) & (b.low.x() <= a.high.x()) & (a.low.y() <= b.high.y()) &
         (b.low.y() <= a.high.y()) & (a.low.z() <= b.high.z()) & (b.low.z() <= a.high.z());
}

// A tree over a fixed number of items, halved along the longest axis of where they once were; refitted to
// where they are by fit(). What a search finds depends on the boxes alone, how fast also on the tree.
class BoxTree {
 public:
  // `centers`: where the items are, to begin with. `is_passive`: a pair of two passive items is of no
  // interest.
  BoxTree(const std::vector<Vec3>& centers, std::vector<char> is_passive);

  int item_count() const { return static_cast<int>(order_.size()); }
  // The items in the order of the tree: neighbours are close to each other.
  std::span<const int> order() const { return order_; }
  bool is_passive(int item) const { return is_passive_[item] != 0; }

  // The boxes of all nodes for these boxes of all items, for as long as both live.
  class Fitted {
   public:
    // Calls visit(item) for every item > `after` whose box overlaps `box`, in no order worth mentioning;
    // without the passive ones where `passive` is set.
    template <class Visit>
    void search(const Box& box, int after, bool passive, const Visit& visit) const;

   private:
    friend class BoxTree;
    const BoxTree* tree_;
    std::span<const Box> items_;
    std::vector<Box> nodes_;
  };
  Fitted fit(std::span<const Box> items) const;

 private:
  static constexpr int kLeafItems = 4;

  // Nodes stand in the order of a depth-first walk: the left child next to its parent.
  struct Node {
    int begin, end;     // of order_
    int next;           // the node after this one and all below it
    int last_item;      // the largest item
    char only_passive;  // 1: all items are
    bool is_leaf() const { return end - begin <= kLeafItems; }
  };

  void split(const std::vector<Vec3>& centers, int begin, int end);

  std::vector<int> order_;
  std::vector<char> is_passive_;
  std::vector<Node> nodes_;
};

template <class Visit>
void BoxTree::Fitted::search(const Box& box, int after, bool passive, const Visit& visit) const {
  const int count = static_cast<int>(nodes_.size());
  for (int i = 0; i < count;) {
    const Node& node = tree_->nodes_[i];
    if (node.last_item <= after || (passive && node.only_passive) || !overlap(nodes_[i], box)) {
      i = node.next;
      continue;
    }
    if (node.is_leaf())
      for (int k = node.begin; k < node.end; ++k) {
        const int item = tree_->order_[k];
        if (item > after && !(passive && tree_->is_passive_[item]) && overlap(items_[item], box)) visit(item);
      }
    ++i;
  }
}

}  // namespace keydrape
