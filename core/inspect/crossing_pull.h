#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "core/contact/pairs/intersection.h"

namespace keydrape {

// Where an edge goes through a triangle, and which way it wants out (core/contact/EQUATIONS.md (R2)): the
// point sum_i weights_i x_i of the edge, less that of the triangle, is to move by `way`, which has no unit.
struct CrossingPull {
  std::array<int, 5> vertices;  // the edge's, then the triangle's
  Eigen::Matrix<double, 5, 1> weights;
  Vec3 way;
};

class CrossingPulls {
 public:
  // `triangles` outlives this.
  explicit CrossingPulls(const std::vector<Triangle>& triangles);

  // None where the edge lies within the triangle's plane.
  std::optional<CrossingPull> of(const EdgeThroughFace& crossing, const VecX& x) const;

 private:
  const std::vector<Triangle>& triangles_;
  std::map<Edge, std::vector<int>> faces_of_edge_;
};

}  // namespace keydrape
