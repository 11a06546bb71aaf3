#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "core/contact/pairs/box_tree.h"

namespace keydrape {

// Finds the item nearest to a point among many that do not move, each known by a box around it. Halved along
// the longest axis like BoxTree, whose pairs of overlapping boxes are of no use to a point that is far from
// all items; walked from the nearer half to the farther one (Roussopoulos et al. 1995).
class NearestSearch {
 public:
  // Boxes of the items, not empty; at least one.
  explicit NearestSearch(std::vector<Box> boxes);

  // Calls squared_distance(item) [m^2] for items whose boxes are not farther from p than the nearest item so
  // far, in no order worth mentioning. Infinity for an item that does not count. Of equally near items the
  // one with the smallest number; -1 if none counts, or is nearer than `reach` [m].
  int nearest(const Vec3& p, const std::function<double(int item)>& squared_distance,
              double reach = std::numeric_limits<double>::infinity()) const;

 private:
  struct Node {
    Box box;
    int begin, end;  // of order_
    int right;       // its other child, the first standing next to it; -1: a leaf
  };

  void split(int begin, int end);

  std::vector<Box> boxes_;
  std::vector<int> order_;
  std::vector<Node> nodes_;
};

}  // namespace keydrape
