#include "core/mesh/rest_hinge.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace keydrape {

namespace {

// The opposite vertex seen from the edge v0 -> v1.
struct Wing {
  double length;  // of the edge
  double foot;    // of the opposite vertex on the edge, in units of the length
  double height;
};

const Vec2& corner_of(const Triangle& triangle, const RestCorners& corners, int vertex) {
  const auto at = std::find(triangle.begin(), triangle.end(), vertex);
  assert(at != triangle.end());
  return corners[at - triangle.begin()];
}

Wing wing(const Triangle& triangle, const RestCorners& corners, int v0, int v1, int opposite) {
  const Vec2 p0 = corner_of(triangle, corners, v0);
  const Vec2 e = corner_of(triangle, corners, v1) - p0;
  const Vec2 q = corner_of(triangle, corners, opposite) - p0;
  const double length = e.norm();
  const double twice_area = std::abs(e.x() * q.y() - e.y() * q.x());
  return {length, q.dot(e) / (length * length), twice_area / length};
}

}  // namespace

RestHinge unfold(const Hinge& hinge, const std::vector<Triangle>& triangles,
                 const std::vector<RestCorners>& rest_corners) {
  assert(triangles.size() == rest_corners.size());
  const auto [v0, v1, v2, v3] = hinge.vertices;
  const Wing a = wing(triangles[hinge.triangle_a], rest_corners[hinge.triangle_a], v0, v1, v2);
  const Wing b = wing(triangles[hinge.triangle_b], rest_corners[hinge.triangle_b], v0, v1, v3);
  const double length = 0.5 * (a.length + b.length);
  return {length, {a.foot * length, a.height}, {b.foot * length, -b.height}};
}

}  // namespace keydrape
