#include "core/mesh/mesh_collapse.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cassert>
#include <cmath>

namespace keydrape {
namespace {

constexpr double kLeastTurn = 0.5;   // cosine between the normals of a triangle before and after a collapse
constexpr double kLeastAlong = 0.8;  // cosine between the edges of a rim beside a vertex that may go
constexpr double kLeastShape = 0.2;  // of a triangle, unless it was worse already

// 1 for an equilateral triangle, 0 for one without area: 4 sqrt(3) area / (sum of squared edges).
double shape(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double squares = (b - a).squaredNorm() + (c - b).squaredNorm() + (a - c).squaredNorm();
  return 2.0 * std::sqrt(3.0) * (b - a).cross(c - a).norm() / squares;
}

double signed_area(const Vec2& a, const Vec2& b, const Vec2& c) {
  const Vec2 e = b - a, f = c - a;
  return 0.5 * (e.x() * f.y() - e.y() * f.x());
}

int corner_of(const Triangle& t, int v) {
  return static_cast<int>(std::find(t.begin(), t.end(), v) - t.begin());
}

}  // namespace

MeshCollapse::MeshCollapse(const TriangleMesh& mesh, const std::vector<std::vector<int>>& sets, Panels panels)
    : mesh_(mesh),
      panels_(panels),
      uvs_(mesh.uvs),
      triangles_(mesh.triangles),
      uv_triangles_(mesh.uv_triangles),
      is_alive_(mesh.triangles.size(), true),
      around_(mesh.positions.size()),
      sets_of_(mesh.positions.size()),
      queued_(mesh.positions.size()) {
  for (int t = 0; t < mesh.triangle_count(); ++t)
    for (const int v : mesh.triangles[t]) around_[v].push_back(t);
  for (std::size_t s = 0; s < sets.size(); ++s)
    for (const int v : sets[s]) sets_of_[v].push_back(static_cast<int>(s));
  for (int v = 0; v < mesh.vertex_count(); ++v) into_.push_back(v);
}

void MeshCollapse::run(int vertex_count) {
  for (int v = 0; v < mesh_.vertex_count(); ++v) reconsider(v);
  int left = mesh_.vertex_count();
  while (left > vertex_count && !queue_.empty()) {
    const Collapse next = *queue_.begin();
    // What it was worth when it was queued may have changed around its neighbours' neighbours.
    if (best(next.from) != next) {
      reconsider(next.from);
      continue;
    }
    perform(next.from, next.into);
    --left;
  }
}

int MeshCollapse::kept_vertex_of(int v) const {
  while (into_[v] != v) v = into_[v];
  return v;
}

std::vector<int> MeshCollapse::neighbours(int v) const {
  std::vector<int> all;
  for (const int t : around_[v])
    for (const int u : triangles_[t])
      if (u != v) all.push_back(u);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<int> MeshCollapse::shared_triangles(int v, int u) const {
  std::vector<int> shared;
  std::set_intersection(around_[v].begin(), around_[v].end(), around_[u].begin(), around_[u].end(),
                        std::back_inserter(shared));
  return shared;
}

std::optional<MeshCollapse::Collapse> MeshCollapse::best(int v) const {
  std::optional<Collapse> best;
  for (const int u : neighbours(v)) {
    const std::optional<double> cost = this->cost(v, u);
    if (cost && (!best || *cost < best->cost)) best = Collapse{*cost, v, u};
  }
  return best;
}

std::optional<double> MeshCollapse::cost(int v, int u) const {
  if (!std::includes(sets_of_[u].begin(), sets_of_[u].end(), sets_of_[v].begin(), sets_of_[v].end()))
    return {};
  const std::vector<int> shared = shared_triangles(v, u);
  if (!keeps_topology(v, u, shared) || !keeps_rim(v, u, shared)) return {};
  const std::optional<std::vector<int>> corners = uv_corners(v, u, shared);
  if (!corners) return {};
  double worst = 0.0;
  std::size_t k = 0;
  for (const int t : around_[v]) {
    if (std::binary_search(shared.begin(), shared.end(), t)) continue;
    const std::optional<double> cost = cost_of_triangle(t, v, u, (*corners)[k++]);
    if (!cost) return {};
    worst = std::max(worst, *cost);
  }
  return worst;
}

bool MeshCollapse::keeps_topology(int v, int u, const std::vector<int>& shared) const {
  const std::vector<int> of_v = neighbours(v), of_u = neighbours(u);
  std::vector<int> common;
  std::set_intersection(of_v.begin(), of_v.end(), of_u.begin(), of_u.end(), std::back_inserter(common));
  if (common.size() != shared.size() || around_[v].size() == shared.size()) return false;
  return std::all_of(common.begin(), common.end(), [&](int w) { return around_[w].size() > 1; });
}

bool MeshCollapse::keeps_rim(int v, int u, const std::vector<int>& shared) const {
  std::vector<int> along;  // neighbours by edges of one triangle
  for (const int w : neighbours(v))
    if (shared_triangles(v, w).size() == 1) along.push_back(w);
  if (along.empty()) return true;
  if (shared.size() != 1 || along.size() != 2) return false;
  const int other = along[0] == u ? along[1] : along[0];
  const Vec3 before = mesh_.positions[v] - mesh_.positions[other],
             after = mesh_.positions[u] - mesh_.positions[v];
  return before.dot(after) >= kLeastAlong * before.norm() * after.norm();
}

std::optional<std::vector<int>> MeshCollapse::uv_corners(int v, int u, const std::vector<int>& shared) const {
  std::vector<int> corners;
  for (const int t : around_[v]) {
    if (std::binary_search(shared.begin(), shared.end(), t)) continue;
    corners.push_back(kNoUvCorner);
    if (uv_triangles_.empty()) continue;
    const int own = uv_triangles_[t][corner_of(triangles_[t], v)];
    bool is_seam_end = false;  // the edge is a seam, and ends in v
    for (const int s : shared) {
      if (uv_triangles_[s][corner_of(triangles_[s], v)] != own) continue;
      const int there = uv_triangles_[s][corner_of(triangles_[s], u)];
      is_seam_end = corners.back() != kNoUvCorner && corners.back() != there;
      corners.back() = there;
    }
    if (is_seam_end) corners.back() = kNoUvCorner;
    if (corners.back() == kNoUvCorner && panels_ == Panels::kShape) return {};
  }
  return corners;
}

Vec2 MeshCollapse::extended_uv(int t, const Vec3& p) const {
  const Vec3& a = mesh_.positions[triangles_[t][0]];
  Eigen::Matrix<double, 3, 2> edges;
  edges << mesh_.positions[triangles_[t][1]] - a, mesh_.positions[triangles_[t][2]] - a;
  const Vec2 along = (edges.transpose() * edges).inverse() * edges.transpose() * (p - a);
  const Triangle& uv = uv_triangles_[t];
  return uvs_[uv[0]] + along[0] * (uvs_[uv[1]] - uvs_[uv[0]]) + along[1] * (uvs_[uv[2]] - uvs_[uv[0]]);
}

std::optional<double> MeshCollapse::cost_of_triangle(int t, int v, int u, int uv_corner) const {
  const int c = corner_of(triangles_[t], v);
  const int b = triangles_[t][(c + 1) % 3], d = triangles_[t][(c + 2) % 3];
  const Vec3 &from = mesh_.positions[v], &into = mesh_.positions[u];
  const Vec3 &p = mesh_.positions[b], &q = mesh_.positions[d];
  const Vec3 n_before = (p - from).cross(q - from), n_after = (p - into).cross(q - into);
  if (n_after.dot(n_before) < kLeastTurn * n_after.norm() * n_before.norm()) return {};
  const double shape_after = shape(into, p, q);
  if (!(shape_after >= std::min(kLeastShape, shape(from, p, q)))) return {};
  if (uv_corner != kNoUvCorner) {
    const Vec2 &pu = uvs_[uv_triangles_[t][(c + 1) % 3]], &qu = uvs_[uv_triangles_[t][(c + 2) % 3]];
    const double before = signed_area(uvs_[uv_triangles_[t][c]], pu, qu),
                 after = signed_area(uvs_[uv_corner], pu, qu);
    if (!(before * after > 0.0) && before != 0.0) return {};
  }
  return std::max({(p - into).squaredNorm(), (q - into).squaredNorm(), (p - q).squaredNorm()}) / shape_after;
}

void MeshCollapse::perform(int v, int u) {
  const std::vector<int> shared = shared_triangles(v, u);
  const std::vector<int> corners = uv_corners(v, u, shared).value();
  if (queued_[v]) queue_.erase(*queued_[v]);
  queued_[v].reset();
  std::size_t k = 0;
  for (const int t : around_[v]) {
    if (std::binary_search(shared.begin(), shared.end(), t)) {
      is_alive_[t] = false;
      for (const int w : triangles_[t])
        if (w != v) std::erase(around_[w], t);
      continue;
    }
    const int c = corner_of(triangles_[t], v), uv_corner = corners[k++];
    if (!uv_triangles_.empty()) {
      if (uv_corner == kNoUvCorner) uvs_.push_back(extended_uv(t, mesh_.positions[u]));
      uv_triangles_[t][c] = uv_corner == kNoUvCorner ? static_cast<int>(uvs_.size()) - 1 : uv_corner;
    }
    triangles_[t][c] = u;
    around_[u].insert(std::lower_bound(around_[u].begin(), around_[u].end(), t), t);
  }
  around_[v].clear();
  into_[v] = u;
  reconsider(u);
  for (const int w : neighbours(u)) reconsider(w);
}

void MeshCollapse::reconsider(int v) {
  if (queued_[v]) queue_.erase(*queued_[v]);
  queued_[v] = best(v);
  if (queued_[v]) queue_.insert(*queued_[v]);
}

}  // namespace keydrape
