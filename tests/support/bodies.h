#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/mesh/mesh.h"

// Closed meshes round the origin, front outwards, for tests.

namespace keydrape::test {

constexpr double kPi = 3.14159265358979323846;

// 20 * 4^levels triangles.
inline TriangleMesh sphere_mesh(double radius, int levels) {
  TriangleMesh mesh;
  const double g = (1 + std::sqrt(5.0)) / 2;
  for (const Vec3& p :
       {Vec3(-1, g, 0), Vec3(1, g, 0), Vec3(-1, -g, 0), Vec3(1, -g, 0), Vec3(0, -1, g), Vec3(0, 1, g),
        Vec3(0, -1, -g), Vec3(0, 1, -g), Vec3(g, 0, -1), Vec3(g, 0, 1), Vec3(-g, 0, -1), Vec3(-g, 0, 1)})
    mesh.positions.push_back(radius * p.normalized());
  mesh.triangles = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                    {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                    {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  for (int l = 0; l < levels; ++l) {
    std::map<Edge, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [at, is_new] = middles.try_emplace({std::min(a, b), std::max(a, b)}, mesh.vertex_count());
      if (is_new) mesh.positions.push_back(radius * (mesh.positions[a] + mesh.positions[b]).normalized());
      return at->second;
    };
    std::vector<Triangle> finer;
    for (const auto& [a, b, c] : mesh.triangles) {
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      for (const Triangle& t : {Triangle{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}})
        finer.push_back(t);
    }
    mesh.triangles = finer;
  }
  return mesh;
}

// Round the y axis.
struct Torus {
  double ring, tube;  // radii [m]

  double distance(const Vec3& p) const { return std::hypot(std::hypot(p.x(), p.z()) - ring, p.y()) - tube; }
  TriangleMesh mesh(int around, int across) const {
    TriangleMesh m;
    for (int i = 0; i < around; ++i)
      for (int j = 0; j < across; ++j) {
        const double u = 2 * kPi * i / around, v = 2 * kPi * j / across;
        const double r = ring + tube * std::cos(v);
        m.positions.emplace_back(r * std::cos(u), tube * std::sin(v), r * std::sin(u));
      }
    for (int i = 0; i < around; ++i)
      for (int j = 0; j < across; ++j) {
        const int ii = (i + 1) % around, jj = (j + 1) % across;
        const int a = i * across + j, b = ii * across + j, c = ii * across + jj, d = i * across + jj;
        m.triangles.push_back({a, d, c});
        m.triangles.push_back({a, c, b});
      }
    return m;
  }
};

inline constexpr Torus kTorus{0.5, 0.25};

// Exact distance of a sharp box.
inline double box_distance(const Vec3& half_size, const Vec3& p) {
  const Vec3 q = p.cwiseAbs() - half_size;
  return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0);
}

inline const Vec3 kHalfBox(0.5, 0.3, 0.4);  // half_size of one without equal edges

inline TriangleMesh box_mesh(const Vec3& half_size) {
  TriangleMesh mesh;
  for (int n = 0; n < 8; ++n)
    mesh.positions.push_back(half_size.cwiseProduct(Vec3(n & 1 ? 1 : -1, n & 2 ? 1 : -1, n & 4 ? 1 : -1)));
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

inline TriangleMesh turned(TriangleMesh mesh, const Mat3& rotation) {
  for (Vec3& p : mesh.positions) p = rotation * p;
  return mesh;
}

}  // namespace keydrape::test
