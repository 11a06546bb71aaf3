#pragma once

#include <bit>
#include <limits>
#include <span>
#include <vector>

#include "core/base/types.h"

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
  const int apart = int{a.low.x() > b.high.x()} | int{b.low.x() > a.high.x()} | int{a.low.y() > b.high.y()} |
                    int{b.low.y() > a.high.y()} | int{a.low.z() > b.high.z()} | int{b.low.z() > a.high.z()};
  return apart == 0;
}

// Up to eight boxes side by side, rounded outwards to float: what eight comparisons at once are made of.
class BoxPack {
 public:
  static constexpr int kSize = 8;

  BoxPack();  // of empty boxes
  void set(int place, const Box& box);
  // Bit k: whether box k of this pack overlaps the box at `place` of the other.
  unsigned overlapping(const BoxPack& other, int place) const {
    int hits[kSize];
    for (int k = 0; k < kSize; ++k) {
      hits[k] = (low_[0][k] <= other.high_[0][place]) & (other.low_[0][place] <= high_[0][k]) &
                (low_[1][k] <= other.high_[1][place]) & (other.low_[1][place] <= high_[1][k]) &
                (low_[2][k] <= other.high_[2][place]) & (other.low_[2][place] <= high_[2][k]);
    }
    unsigned bits = 0;
    for (int k = 0; k < kSize; ++k) bits |= static_cast<unsigned>(hits[k]) << k;
    return bits;
  }

 private:
  float low_[3][kSize], high_[3][kSize];
};

// A tree over a fixed number of items, halved along the longest axis of where they once were, down to leaves
// of a few neighbours; fit() puts it where they are. What a search finds depends on the boxes alone, how fast
// also on the tree.
class BoxTree {
 public:
  // `centers`: where the items are, to begin with. `is_passive`: a pair of two passive items is
  // of no interest.
  BoxTree(const std::vector<Vec3>& centers, std::vector<char> is_passive);

  int item_count() const { return static_cast<int>(order_.size()); }
  int leaf_count() const { return static_cast<int>(leaves_.size()); }
  std::span<const int> items_of_leaf(int leaf) const;

  // The tree around these boxes, one for each item. Must not outlive the tree.
  class Fitted;
  Fitted fit(const std::vector<Box>& boxes) const;

 private:
  // Nodes stand in the order of a depth-first walk: the left child next to its parent.
  struct Node {
    int begin, end;     // of order_
    int next;           // the node after this one and all below it
    bool only_passive;  // all items are
    int leaf;           // place in leaves_; -1: it has children
  };

  void split(const std::vector<Vec3>& centers, int begin, int end);

  std::vector<int> order_;
  std::vector<char> is_passive_;
  std::vector<Node> nodes_;
  std::vector<int> leaves_;  // nodes
};

class BoxTree::Fitted {
 public:
  enum class Pairing {
    kAll,   // of two trees
    kOnce,  // of a tree with itself: of (i, j) and (j, i) one, of (i, i) none
  };

  // Calls visit(i, j) for every item i of a leaf of this tree and every item j of `other` whose boxes
  // overlap, unless both are passive. In no order worth mentioning.
  template <class Visit>
  void join_leaf(int leaf, const Fitted& other, Pairing pairing, const Visit& visit) const;

 private:
  friend class BoxTree;
  const BoxTree* tree_;
  std::vector<Box> nodes_;
  std::vector<BoxPack> leaves_;
  std::vector<Box> boxes_;  // of the items in the order of the tree
};

template <class Visit>
void BoxTree::Fitted::join_leaf(int leaf, const Fitted& other, Pairing pairing, const Visit& visit) const {
  const Node& mine = tree_->nodes_[tree_->leaves_[leaf]];
  const Box& box = nodes_[tree_->leaves_[leaf]];
  const int after = pairing == Pairing::kOnce ? mine.begin : -1;  // leaves before mine have met it already
  const int count = static_cast<int>(other.nodes_.size());
  for (int n = 0; n < count;) {
    const Node& node = other.tree_->nodes_[n];
    if (node.end <= after || (mine.only_passive && node.only_passive) || !overlap(other.nodes_[n], box)) {
      n = node.next;
      continue;
    }
    ++n;
    if (node.leaf < 0) continue;
    for (int l = node.begin; l < node.end; ++l) {
      if (!overlap(other.boxes_[l], box)) continue;
      const int j = other.tree_->order_[l];
      unsigned hits = leaves_[leaf].overlapping(other.leaves_[node.leaf], l - node.begin);
      for (; hits != 0; hits &= hits - 1) {
        const int k = mine.begin + std::countr_zero(hits), i = tree_->order_[k];
        const bool is_wanted = (pairing == Pairing::kAll || k < l) &&
                               !(tree_->is_passive_[i] && other.tree_->is_passive_[j]) &&
                               overlap(other.boxes_[l], boxes_[k]);
        if (is_wanted) visit(i, j);
      }
    }
  }
}

}  // namespace keydrape
