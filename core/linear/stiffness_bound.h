#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <array>
#include <vector>

#include "core/base/types.h"

namespace keydrape {

// A constant L over vertices that bounds a Hessian, d2E/dy2 <= L (x) 1, or nearly: what steps that are not
// solved go by (core/step/EQUATIONS.md (R3)). Sum of its elements' parts. [N/m]
class StiffnessBound {
 public:
  // Of a step of this length [s] that ends at `end_time` [s].
  StiffnessBound(double dt, double end_time) : dt_(dt), end_time_(end_time) {}

  double dt() const { return dt_; }
  double end_time() const { return end_time_; }

  template <int K>
  void add(const std::array<int, K>& vertices, const Eigen::Matrix<double, K, K>& k) {
    for (int a = 0; a < K; ++a)
      for (int b = 0; b < K; ++b) entries_.emplace_back(vertices[a], vertices[b], k(a, b));
  }

  // Of two vertices, or of one with itself: k stands in both triangles.
  void add(const Edge& vertices, double k) {
    entries_.emplace_back(vertices[0], vertices[1], k);
    if (vertices[0] != vertices[1]) entries_.emplace_back(vertices[1], vertices[0], k);
  }

  // Both triangles, with repeats.
  const std::vector<Eigen::Triplet<double>>& entries() const { return entries_; }

 private:
  double dt_, end_time_;
  std::vector<Eigen::Triplet<double>> entries_;
};

}  // namespace keydrape
