#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/mesh/mesh.h"

// Flat sheets in the plane z = 0, front towards +z, for tests.

namespace keydrape::test {

// nx by ny cells over [0, size.x] x [0, size.y], diagonals alternating. Vertex of column i and row j:
// i + j (nx + 1).
inline TriangleMesh sheet(int nx, int ny, const Vec2& size) {
  TriangleMesh mesh;
  for (int j = 0; j <= ny; ++j)
    for (int i = 0; i <= nx; ++i) mesh.positions.emplace_back(size.x() * i / nx, size.y() * j / ny, 0.0);
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      const int a = j * (nx + 1) + i, b = a + 1, d = a + nx + 1, c = d + 1;
      if ((i + j) % 2 == 0) {
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
      } else {
        mesh.triangles.push_back({a, b, d});
        mesh.triangles.push_back({b, c, d});
      }
    }
  return mesh;
}

// Of all triangles, those of two of them twice.
inline std::vector<Edge> edges_of(const TriangleMesh& mesh) {
  std::vector<Edge> edges;
  for (const Triangle& t : mesh.triangles)
    for (int c = 0; c < 3; ++c) edges.push_back({t[c], t[(c + 1) % 3]});
  return edges;
}

inline TriangleMesh square(int n, double side) { return sheet(n, n, Vec2(side, side)); }

// Shifts every vertex off the bounding box's border in the plane, by up to `share` of the mean
// distance of vertices.
inline TriangleMesh distorted(TriangleMesh mesh, const Vec2& size, double share, unsigned seed) {
  std::mt19937_64 random(seed);
  const double reach = share * std::sqrt(size.x() * size.y() / mesh.vertex_count());
  std::uniform_real_distribution<double> shift(-reach, reach);
  for (Vec3& p : mesh.positions) {
    const double dx = shift(random), dy = shift(random);
    if (p.x() > 0 && p.x() < size.x() && p.y() > 0 && p.y() < size.y()) p += Vec3(dx, dy, 0);
  }
  return mesh;
}

// The Delaunay triangulation of points in the plane (Bowyer 1981, Watson 1981), by brute force. Points in
// general position: of points on one circle, rounding decides.
inline TriangleMesh delaunay(std::vector<Vec2> points) {
  const int n = static_cast<int>(points.size());
  Vec2 low = points[0], high = points[0];
  for (const Vec2& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const Vec2 center = 0.5 * (low + high);
  const double far = 1e3 * (high - low).norm();
  for (const Vec2& corner : {Vec2(-far, -far), Vec2(far, -far), Vec2(0, far)})
    points.push_back(center + corner);
  const auto cross = [](const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); };
  const auto is_in_circle = [&](const Triangle& t, const Vec2& p) {
    const Vec2 a = points[t[0]] - p, b = points[t[1]] - p, c = points[t[2]] - p;
    return a.squaredNorm() * cross(b, c) + b.squaredNorm() * cross(c, a) + c.squaredNorm() * cross(a, b) > 0;
  };
  std::vector<Triangle> triangles{{n, n + 1, n + 2}};
  for (int i = 0; i < n; ++i) {
    std::vector<Triangle> kept;
    std::vector<Edge> hole;  // directed edges round the triangles that p falls into
    for (const Triangle& t : triangles) {
      if (!is_in_circle(t, points[i])) {
        kept.push_back(t);
        continue;
      }
      for (const Edge& e : {Edge{t[0], t[1]}, Edge{t[1], t[2]}, Edge{t[2], t[0]}}) {
        const auto twin = std::find(hole.begin(), hole.end(), Edge{e[1], e[0]});
        if (twin == hole.end())
          hole.push_back(e);
        else
          hole.erase(twin);
      }
    }
    for (const Edge& e : hole) kept.push_back({e[0], e[1], i});
    triangles = std::move(kept);
  }
  TriangleMesh mesh;
  for (int i = 0; i < n; ++i) mesh.positions.emplace_back(points[i].x(), points[i].y(), 0.0);
  for (const Triangle& t : triangles)
    if (std::max({t[0], t[1], t[2]}) < n) mesh.triangles.push_back(t);
  return mesh;
}

// A border of evenly spaced points round [0, size.x] x [0, size.y] and a square lattice with the same
// spacing, turned by `angle` [rad] and shifted at random by up to `jitter` spacings, within it.
inline TriangleMesh turned_sheet(int nx, int ny, const Vec2& size, double angle, double jitter) {
  const double h = size.x() / nx;
  std::mt19937_64 random(11);
  // A thousandth keeps the lattice out of the degenerate case of four points on a circle.
  std::uniform_real_distribution<double> shift(-(jitter + 1e-3) * h, (jitter + 1e-3) * h);
  std::vector<Vec2> points;
  for (int i = 0; i <= nx; ++i)
    for (double y : {0.0, size.y()}) points.emplace_back(size.x() * i / nx, y);
  for (int j = 1; j < ny; ++j)
    for (double x : {0.0, size.x()}) points.emplace_back(x, size.y() * j / ny);
  const int reach = 2 * (nx + ny);
  const double c = std::cos(angle), s = std::sin(angle);
  for (int j = -reach; j <= reach; ++j)
    for (int i = -reach; i <= reach; ++i) {
      Vec2 p = 0.5 * size + h * Vec2(c * i - s * j, s * i + c * j);
      p += Vec2(shift(random), shift(random));
      const double margin = 0.55 * h;
      if (p.x() > margin && p.x() < size.x() - margin && p.y() > margin && p.y() < size.y() - margin)
        points.push_back(p);
    }
  return delaunay(std::move(points));
}

}  // namespace keydrape::test
