#include "core/contact/box_tree.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace keydrape {

BoxTree::BoxTree(const std::vector<Vec3>& centers, std::vector<char> is_passive)
    : order_(centers.size()), is_passive_(std::move(is_passive)) {
  assert(is_passive_.size() == centers.size());
  std::iota(order_.begin(), order_.end(), 0);
  if (!order_.empty()) split(centers, 0, item_count());
}

void BoxTree::split(const std::vector<Vec3>& centers, int begin, int end) {
  const int here = static_cast<int>(nodes_.size());
  nodes_.push_back({begin, end, 0, -1, 1});
  if (!nodes_[here].is_leaf()) {
    Box box;
    for (int k = begin; k < end; ++k) box.add({centers[order_[k]], centers[order_[k]]});
    int axis;
    (box.high - box.low).maxCoeff(&axis);
    const int middle = begin + (end - begin) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                     [&](int a, int b) {
                       const double at_a = centers[a][axis], at_b = centers[b][axis];
                       return at_a < at_b || (at_a == at_b && a < b);
                     });
    split(centers, begin, middle);
    split(centers, middle, end);
  }
  Node& node = nodes_[here];
  node.next = static_cast<int>(nodes_.size());
  for (int k = begin; k < end; ++k) {
    node.last_item = std::max(node.last_item, order_[k]);
    node.only_passive &= is_passive_[order_[k]];
  }
}

BoxTree::Fitted BoxTree::fit(std::span<const Box> items) const {
  assert(static_cast<int>(items.size()) == item_count());
  Fitted fitted;
  fitted.tree_ = this;
  fitted.items_ = items;
  fitted.nodes_.resize(nodes_.size());
  for (int i = static_cast<int>(nodes_.size()) - 1; i >= 0; --i) {
    const Node& node = nodes_[i];
    Box& box = fitted.nodes_[i];
    if (node.is_leaf()) {
      for (int k = node.begin; k < node.end; ++k) box.add(items[order_[k]]);
    } else {
      const int left = i + 1, right = nodes_[left].next;
      box.add(fitted.nodes_[left]);
      box.add(fitted.nodes_[right]);
    }
  }
  return fitted;
}

}  // namespace keydrape
