#include "core/contact/pairs/nearest_search.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace keydrape {

namespace {

constexpr int kLeafSize = 4;

// From the nearest point of a box [m^2]; 0 within.
double squared_distance_from(const Box& box, const Vec3& p) {
  return (box.low - p).cwiseMax(p - box.high).cwiseMax(0.0).squaredNorm();
}

}  // namespace

NearestSearch::NearestSearch(std::vector<Box> boxes) : boxes_(std::move(boxes)), order_(boxes_.size()) {
  assert(!boxes_.empty());
  std::iota(order_.begin(), order_.end(), 0);
  split(0, static_cast<int>(order_.size()));
}

void NearestSearch::split(int begin, int end) {
  const int here = static_cast<int>(nodes_.size());
  nodes_.push_back({{}, begin, end, -1});
  Box centers;
  const auto center = [&](int item) -> Vec3 { return 0.5 * (boxes_[item].low + boxes_[item].high); };
  for (int k = begin; k < end; ++k) {
    nodes_[here].box.add(boxes_[order_[k]]);
    centers.add({center(order_[k]), center(order_[k])});
  }
  if (end - begin <= kLeafSize) return;
  int axis;
  (centers.high - centers.low).maxCoeff(&axis);
  const int middle = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end, [&](int a, int b) {
    const double at_a = center(a)[axis], at_b = center(b)[axis];
    return at_a < at_b || (at_a == at_b && a < b);
  });
  split(begin, middle);
  nodes_[here].right = static_cast<int>(nodes_.size());
  split(middle, end);
}

int NearestSearch::nearest(const Vec3& p, const std::function<double(int item)>& squared_distance,
                           double reach) const {
  int best = -1;
  double least = reach * reach;
  std::vector<int> open = {0};  // the nearest on top
  while (!open.empty()) {
    const int n = open.back();
    open.pop_back();
    const Node& node = nodes_[n];
    if (squared_distance_from(node.box, p) > least) continue;
    if (node.right >= 0) {
      const int left = n + 1;
      const bool left_first =
          squared_distance_from(nodes_[left].box, p) <= squared_distance_from(nodes_[node.right].box, p);
      open.push_back(left_first ? node.right : left);
      open.push_back(left_first ? left : node.right);
      continue;
    }
    for (int k = node.begin; k < node.end; ++k) {
      const int item = order_[k];
      const double squared = squared_distance(item);
      const bool is_better = squared < least || (squared == least && best >= 0 && item < best);
      if (!is_better) continue;
      least = squared;
      best = item;
    }
  }
  return best;
}

}  // namespace keydrape
