#include "core/contact/body/sample_points.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>

namespace keydrape {
namespace {

struct EdgeLattice {
  int intervals = 1;
  double area = 0;  // of the points inside of the edge, together
};

Edge sorted(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

// Intervals along each side of a triangle, a whole number.
double lattice_intervals(const Vec3& a, const Vec3& b, const Vec3& c, double spacing) {
  const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
  return std::max(1.0, std::ceil(longest / spacing * (1 - 1e-12)));
}

}  // namespace

Vec3 SamplePoint::position(const VecX& x) const {
  Vec3 p = Vec3::Zero();
  for (int c = 0; c < count; ++c) p += weights(c) * x.segment<3>(3 * vertices[c]);
  return p;
}

double sample_point_bound(const std::vector<Vec3>& rest, const std::vector<Triangle>& triangles,
                          double spacing) {
  double count = 0.0;
  for (const auto& [a, b, c] : triangles) {
    const double n = lattice_intervals(rest[a], rest[b], rest[c], spacing);
    count += 0.5 * (n + 1) * (n + 2);  // of the triangle's own lattice
  }
  return count;
}

std::vector<SamplePoint> sample_points(const std::vector<Vec3>& rest, const std::vector<Triangle>& triangles,
                                       double spacing) {
  assert(spacing > 0 && sample_point_bound(rest, triangles, spacing) < std::numeric_limits<int>::max());
  std::vector<double> vertex_area(rest.size(), -1.0);  // -1: in no triangle
  std::map<Edge, EdgeLattice> edges;
  std::vector<SamplePoint> inside;
  for (const Triangle& t : triangles) {
    const Vec3 &a = rest[t[0]], &b = rest[t[1]], &c = rest[t[2]];
    const int n = static_cast<int>(lattice_intervals(a, b, c, spacing));
    // Each of the n^2 small triangles gives a third to each corner: a node inside gets six thirds, one on a
    // side three, a corner one.
    const double third = 0.5 * (b - a).cross(c - a).norm() / (3.0 * n * n);
    for (int corner = 0; corner < 3; ++corner) {
      vertex_area[t[corner]] = std::max(vertex_area[t[corner]], 0.0) + third;
      EdgeLattice& edge = edges[sorted(t[corner], t[(corner + 1) % 3])];
      edge.intervals = std::max(edge.intervals, n);
      edge.area += (n - 1) * 3 * third;
    }
    for (int i = 1; i < n; ++i)
      for (int j = 1; i + j < n; ++j) inside.push_back({t, Vec3(n - i - j, i, j) / n, 3, 6 * third});
  }

  std::vector<SamplePoint> points;
  for (int v = 0; v < static_cast<int>(rest.size()); ++v)
    if (vertex_area[v] >= 0) points.push_back({{v, v, v}, Vec3::UnitX(), 1, vertex_area[v]});
  for (const auto& [edge, lattice] : edges) {
    const int n = lattice.intervals;
    for (int i = 1; i < n; ++i)
      points.push_back({{edge[0], edge[1], edge[0]}, Vec3(n - i, i, 0) / n, 2, lattice.area / (n - 1)});
  }
  points.insert(points.end(), inside.begin(), inside.end());
  return points;
}

}  // namespace keydrape
