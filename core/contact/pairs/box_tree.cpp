#include "core/contact/pairs/box_tree.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace keydrape {

BoxPack::BoxPack() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    std::fill_n(low_[axis], kSize, kInfinity);
    std::fill_n(high_[axis], kSize, -kInfinity);
  }
}

void BoxPack::set(int place, const Box& box) {
  // Four times what the conversion may lose, for numbers below the normal range as well.
  const auto slack = [](float f) { return 0x1p-22f * std::abs(f) + std::numeric_limits<float>::min(); };
  for (int axis = 0; axis < 3; ++axis) {
    const float low = static_cast<float>(box.low[axis]), high = static_cast<float>(box.high[axis]);
    low_[axis][place] = low - slack(low);
    high_[axis][place] = high + slack(high);
  }
}

BoxTree::BoxTree(const std::vector<Vec3>& centers, std::vector<char> is_passive)
    : order_(centers.size()), is_passive_(std::move(is_passive)) {
  assert(is_passive_.size() == centers.size());
  std::iota(order_.begin(), order_.end(), 0);
  if (!order_.empty()) split(centers, 0, item_count());
}

void BoxTree::split(const std::vector<Vec3>& centers, int begin, int end) {
  const int here = static_cast<int>(nodes_.size());
  nodes_.push_back({begin, end, 0, true, -1});
  if (end - begin <= BoxPack::kSize) {
    nodes_[here].leaf = leaf_count();
    leaves_.push_back(here);
  } else {
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
  for (int k = begin; k < end; ++k) node.only_passive = node.only_passive && is_passive_[order_[k]];
}

std::span<const int> BoxTree::items_of_leaf(int leaf) const {
  const Node& node = nodes_[leaves_[leaf]];
  return {order_.data() + node.begin, order_.data() + node.end};
}

BoxTree::Fitted BoxTree::fit(const std::vector<Box>& boxes) const {
  assert(static_cast<int>(boxes.size()) == item_count());
  Fitted fitted;
  fitted.tree_ = this;
  for (int item : order_) fitted.boxes_.push_back(boxes[item]);
  fitted.nodes_.resize(nodes_.size());
  fitted.leaves_.resize(leaves_.size());
  for (int i = static_cast<int>(nodes_.size()) - 1; i >= 0; --i) {
    const Node& node = nodes_[i];
    Box& box = fitted.nodes_[i];
    if (node.leaf >= 0) {
      for (int k = node.begin; k < node.end; ++k) {
        box.add(fitted.boxes_[k]);
        fitted.leaves_[node.leaf].set(k - node.begin, fitted.boxes_[k]);
      }
    } else {
      const int left = i + 1, right = nodes_[left].next;
      box.add(fitted.nodes_[left]);
      box.add(fitted.nodes_[right]);
    }
  }
  return fitted;
}

}  // namespace keydrape
