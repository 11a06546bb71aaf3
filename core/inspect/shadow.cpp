#include "core/inspect/shadow.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <cmath>

namespace keydrape {
namespace {

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

// Marks the cells whose middles are in a triangle, in units of cells.
void mark(const Vec2& a, const Vec2& b, const Vec2& c, int width, int height, std::vector<char>& cells) {
  const Vec2 low = a.cwiseMin(b).cwiseMin(c), high = a.cwiseMax(b).cwiseMax(c);
  const double turn = cross(b - a, c - a) < 0.0 ? -1.0 : 1.0;
  const auto first = [](double coordinate) {
    return std::max(0, static_cast<int>(std::ceil(coordinate - 0.5)));
  };
  for (int j = first(low.y()); j < height && j + 0.5 <= high.y(); ++j)
    for (int i = first(low.x()); i < width && i + 0.5 <= high.x(); ++i) {
      const Vec2 p(i + 0.5, j + 0.5);
      if (turn * cross(b - a, p - a) >= 0.0 && turn * cross(c - b, p - b) >= 0.0 &&
          turn * cross(a - c, p - c) >= 0.0)
        cells[static_cast<std::size_t>(j) * width + i] = 1;
    }
}

}  // namespace

double surface_area(const std::vector<Triangle>& triangles, const VecX& x) {
  double sum = 0.0;
  for (const Triangle& t : triangles) {
    const Vec3 a = x.segment<3>(3 * t[0]), b = x.segment<3>(3 * t[1]), c = x.segment<3>(3 * t[2]);
    sum += 0.5 * (b - a).cross(c - a).norm();
  }
  return sum;
}

double shadow_area(const std::vector<Triangle>& triangles, const VecX& x, const Vec3& direction, int cells) {
  assert(cells > 0 && direction.squaredNorm() > 0.0 && x.size() > 0);
  const Vec3 n = direction.normalized(), e1 = n.unitOrthogonal(), e2 = n.cross(e1);
  std::vector<Vec2> points;
  Vec2 low = Vec2::Constant(1e300), high = -low;
  for (Eigen::Index i = 0; i < x.size(); i += 3) {
    const Vec3 p = x.segment<3>(i);
    points.emplace_back(e1.dot(p), e2.dot(p));
    low = low.cwiseMin(points.back());
    high = high.cwiseMax(points.back());
  }
  const double cell = (high - low).maxCoeff() / cells;
  if (!(cell > 0.0)) return 0.0;
  const int width = static_cast<int>(std::ceil((high.x() - low.x()) / cell)),
            height = static_cast<int>(std::ceil((high.y() - low.y()) / cell));
  std::vector<char> covered(static_cast<std::size_t>(width) * height, 0);
  for (Vec2& p : points) p = (p - low) / cell;
  for (const Triangle& t : triangles) mark(points[t[0]], points[t[1]], points[t[2]], width, height, covered);
  return static_cast<double>(std::count(covered.begin(), covered.end(), 1)) * cell * cell;
}

double drape_coefficient(double shadow, double sample, double support) {
  assert(support < sample);
  return (shadow - support) / (sample - support);
}

}  // namespace keydrape
