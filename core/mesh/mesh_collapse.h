#pragma once

#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "core/mesh/coarse_mesh.h"

namespace keydrape {

// A mesh that loses its vertices one by one (coarse_mesh.h says by which rules).
class MeshCollapse {
 public:
  // `mesh` outlives this; it has no defect. sets: vertices ascending.
  MeshCollapse(const TriangleMesh& mesh, const std::vector<std::vector<int>>& sets, Panels panels);

  // Until `vertex_count` are left, or none can go.
  void run(int vertex_count);

  // The vertex that each one was drawn into, at last; itself: it is kept.
  int kept_vertex_of(int v) const;
  const std::vector<int>& triangles_around(int v) const { return around_[v]; }
  std::vector<int> neighbours(int v) const;  // ascending
  bool has_triangle(int t) const { return is_alive_[t]; }
  const Triangle& triangle(int t) const { return triangles_[t]; }
  const Triangle& uv_triangle(int t) const { return uv_triangles_[t]; }
  const std::vector<Vec2>& uvs() const { return uvs_; }

 private:
  struct Collapse {
    double cost;  // [m^2]
    int from, into;
    auto operator<=>(const Collapse&) const = default;
  };

  std::vector<int> shared_triangles(int v, int u) const;
  std::optional<Collapse> best(int v) const;
  std::optional<double> cost(int v, int u) const;  // none: not allowed
  bool keeps_topology(int v, int u, const std::vector<int>& shared) const;
  bool keeps_rim(int v, int u, const std::vector<int>& shared) const;
  // The texture corner of u that takes the place of v's in each of v's other triangles; none: a seam is
  // in the way.
  std::optional<std::vector<int>> uv_corners(int v, int u, const std::vector<int>& shared) const;
  std::optional<double> cost_of_triangle(int t, int v, int u, int uv_corner) const;
  Vec2 extended_uv(int t, const Vec3& p) const;  // of the triangle's plane at the point nearest to p
  void perform(int v, int u);
  void reconsider(int v);

  static constexpr int kNoUvCorner = -1;

  const TriangleMesh& mesh_;
  Panels panels_;
  std::vector<Vec2> uvs_;
  std::vector<Triangle> triangles_, uv_triangles_;
  std::vector<bool> is_alive_;             // of triangles
  std::vector<std::vector<int>> around_;   // triangles of each vertex, ascending
  std::vector<std::vector<int>> sets_of_;  // of each vertex, ascending
  std::vector<int> into_;
  std::vector<std::optional<Collapse>> queued_;  // of each vertex
  std::set<Collapse> queue_;
};

}  // namespace keydrape
