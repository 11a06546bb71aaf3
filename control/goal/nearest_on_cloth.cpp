#include "control/goal/nearest_on_cloth.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/mesh/topology.h"

namespace keydrape {
namespace {

std::vector<Box> boxes_of(const std::vector<Triangle>& triangles, const VecX& x) {
  std::vector<Box> boxes;
  for (const Triangle& t : triangles) {
    Box& box = boxes.emplace_back();
    for (const int i : t) box.add({x.segment<3>(3 * i), x.segment<3>(3 * i)});
  }
  return boxes;
}

}  // namespace

std::vector<Triangle> with_weight(const std::vector<Triangle>& triangles, const VecX& weight) {
  std::vector<Triangle> those;
  for (const Triangle& t : triangles)
    if (std::all_of(t.begin(), t.end(), [&](int i) { return weight(i) > 0.0; })) those.push_back(t);
  return those;
}

NearestOnCloth::NearestOnCloth(const std::vector<Triangle>& triangles, const VecX& x)
    : triangles_(triangles), x_(x), search_(boxes_of(triangles, x)) {
  for (const auto& [i, j, k] : triangles)
    normals_.push_back((at(j) - at(i)).cross(at(k) - at(i)).stableNormalized());
}

SurfacePoint NearestOnCloth::nearest(const Vec3& p, const Vec3& normal, double least_cosine) const {
  const auto on = [&](int item) {
    const Triangle& t = triangles_[item];
    return nearest_on_triangle(p, at(t[0]), at(t[1]), at(t[2]));
  };
  const int item = search_.nearest(p, [&](int k) {
    const bool is_turned_away = !normal.isZero(0.0) && normals_[k].dot(normal) < least_cosine;
    const double distance = on(k).distance;
    return is_turned_away || !std::isfinite(distance) ? std::numeric_limits<double>::infinity()
                                                      : distance * distance;
  });
  if (item < 0) return {};
  SurfacePoint point = on(item);
  point.triangle = item;
  return point;
}

ClothBorder::ClothBorder(const std::vector<Triangle>& cloth) {
  int count = 0;
  for (const Triangle& t : cloth) count = std::max(count, 1 + *std::max_element(t.begin(), t.end()));
  for (const Edge& edge : build_topology(cloth, count).boundary_edges) {
    edges_.insert(edge);
    vertices_.insert(edge.begin(), edge.end());
  }
}

bool ClothBorder::contains(const Triangle& triangle, const Vec3& weights) const {
  constexpr double kNoWeight = 1e-9;  // below it a point lies on the opposite edge
  for (int c = 0; c < 3; ++c) {
    if (weights(c) >= 1.0 - kNoWeight && vertices_.contains(triangle[c])) return true;
    const auto [a, b] = std::minmax(triangle[c], triangle[(c + 1) % 3]);
    if (weights((c + 2) % 3) <= kNoWeight && edges_.contains(Edge{a, b})) return true;
  }
  return false;
}

}  // namespace keydrape
