#include "control/goal/surface_coverage.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "control/goal/target_surface.h"
#include "core/contact/pairs/nearest_search.h"
#include "core/inspect/shadow.h"
#include "core/mesh/nearest_on_triangle.h"

namespace keydrape {
namespace {

// Pieces into which a surface of few triangles is cut, at most; a triangle of its own is one at least.
constexpr double kMostPieces = 1e5;

std::vector<Triangle> with_weight(const TriangleMesh& cloth, const VecX& weight) {
  std::vector<Triangle> triangles;
  for (const Triangle& t : cloth.triangles)
    if (std::all_of(t.begin(), t.end(), [&](int i) { return weight(i) > 0.0; })) triangles.push_back(t);
  return triangles;
}

class ClothDistance {
 public:
  ClothDistance(std::vector<Triangle> triangles, const VecX& x)
      : triangles_(std::move(triangles)), x_(x), search_(boxes(triangles_, x)) {}

  double operator()(const Vec3& p) const {
    const auto distance = [&](int item) {
      const Triangle& t = triangles_[item];
      return nearest_on_triangle(p, at(x_, t[0]), at(x_, t[1]), at(x_, t[2])).distance;
    };
    const int item = search_.nearest(p, [&](int k) {
      const double d = distance(k);
      return std::isfinite(d) ? d * d : std::numeric_limits<double>::infinity();  // without area
    });
    return item < 0 ? std::numeric_limits<double>::infinity() : distance(item);
  }

 private:
  static Vec3 at(const VecX& x, int i) { return x.segment<3>(3 * i); }
  static std::vector<Box> boxes(const std::vector<Triangle>& triangles, const VecX& x) {
    std::vector<Box> boxes;
    for (const Triangle& t : triangles) {
      Box& box = boxes.emplace_back();
      for (const int i : t) box.add({at(x, i), at(x, i)});
    }
    return boxes;
  }

  std::vector<Triangle> triangles_;
  const VecX& x_;
  NearestSearch search_;
};

// Calls add(point, share) for the centroids of pieces no larger than `piece` [m^2], or for every point.
template <class Add>
void visit_pieces(const TriangleMesh& surface, double piece, const Add& add) {
  if (surface.triangles.empty())
    for (const Vec3& p : surface.positions) add(p, 1.0);
  const VecX x = stacked(surface.positions);
  for (const Triangle& t : surface.triangles) {
    const double whole = surface_area({t}, x);
    const int m = std::max(1, static_cast<int>(std::ceil(std::sqrt(whole / piece))));
    const Vec3 &a = surface.positions[t[0]], b = surface.positions[t[1]] - a, c = surface.positions[t[2]] - a;
    for (int i = 0; i < m; ++i)
      for (int j = 0; i + j < m; ++j)
        for (const double third : {1.0 / 3.0, 2.0 / 3.0}) {
          if (third > 0.5 && i + j + 1 >= m) continue;  // the piece that points down, within the last row
          add(a + ((i + third) * b + (j + third) * c) / m, whole / (m * m));
        }
  }
}

}  // namespace

std::optional<SurfaceCoverage> surface_coverage(const Keyframe& keyframe, const TriangleMesh& rest,
                                                const VecX& x, double within) {
  assert(keyframe.surface && x.size() == 3 * keyframe.vertex_weight.size());
  const TriangleMesh& surface = keyframe.surface->mesh();
  const std::vector<Triangle> triangles = with_weight(rest, keyframe.vertex_weight);
  if (triangles.empty()) return std::nullopt;
  SurfaceCoverage coverage;
  coverage.within = std::max(within, mean_side(rest));
  const double whole = surface_area(surface.triangles, stacked(surface.positions));
  if (whole > 0.0)
    coverage.spare = std::max(0.0, 1.0 - surface_area(triangles, stacked(rest.positions)) / whole);

  const ClothDistance distance(triangles, x);
  double sum = 0.0, bare = 0.0;
  visit_pieces(surface, std::max(coverage.within * coverage.within, whole / kMostPieces),
               [&](const Vec3& p, double share) {
                 const double d = distance(p);
                 sum += share;
                 if (d > coverage.within) bare += share;
                 if (d > coverage.farthest && std::isfinite(d)) {
                   coverage.farthest = d;
                   coverage.place = p;
                 }
               });
  coverage.bare = sum > 0.0 ? bare / sum : 0.0;
  return coverage;
}

}  // namespace keydrape
