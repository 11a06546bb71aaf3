#pragma once

#include <set>
#include <vector>

#include "core/contact/pairs/nearest_search.h"
#include "core/mesh/mesh.h"
#include "core/mesh/nearest_on_triangle.h"

namespace keydrape {

// Those whose vertices all have weight (n).
std::vector<Triangle> with_weight(const std::vector<Triangle>& triangles, const VecX& weight);

// Finds the points of cloth that are nearest to others, as those of a surface that it is to lie on.
class NearestOnCloth {
 public:
  // `triangles`: of the cloth; at least one. x: its vertices [m] (3n). Both outlive the object.
  NearestOnCloth(const std::vector<Triangle>& triangles, const VecX& x);

  // Among the triangles whose unit normal times `normal` is no less than `least_cosine`; a zero `normal` is
  // turned away from none. Without one of them, or where none has area, `triangle` is -1.
  SurfacePoint nearest(const Vec3& p, const Vec3& normal, double least_cosine) const;

 private:
  Vec3 at(int vertex) const { return x_.segment<3>(3 * vertex); }

  const std::vector<Triangle>& triangles_;
  const VecX& x_;
  std::vector<Vec3> normals_;  // of unit length, zero without area
  NearestSearch search_;
};

// The border of cloth. A point is on it or not, whichever of the triangles around it is named.
class ClothBorder {
 public:
  ClothBorder() = default;  // of nothing
  explicit ClothBorder(const std::vector<Triangle>& cloth);

  bool empty() const { return edges_.empty(); }
  // Of the point with these weights in a triangle of the cloth.
  bool contains(const Triangle& triangle, const Vec3& weights) const;

 private:
  std::set<Edge> edges_;
  std::set<int> vertices_;
};

}  // namespace keydrape
