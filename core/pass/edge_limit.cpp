#include "core/pass/edge_limit.h"

#include <algorithm>
#include <cassert>
#include <map>

#include "core/pass/mobility.h"

namespace keydrape {

double LimitedEdge::length(const Vec2& scale) const {
  double sum = 0.0;
  for (const Vec2& d : rest) sum += scale.cwiseProduct(d).norm();
  return sum / static_cast<double>(rest.size());
}

int EdgeLimit::apply(const FilteredStep& step, VecX& y) const {
  const Vec2 scale = stretch_scale_.at(step.end_time);
  const Mobility mobility(step, step.vertex_mass.size());
  std::vector<double> rest(edges_.size());
  for (size_t e = 0; e < edges_.size(); ++e) rest[e] = edges_[e].length(scale);
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool any = false;
    for (size_t e = 0; e < edges_.size(); ++e) {
      const auto [i, j] = edges_[e].vertices;
      const Vec3 d = y.segment<3>(3 * j) - y.segment<3>(3 * i);
      const double length = d.norm(), excess = length - (1 + limit_) * rest[e];
      if (!(excess > kTooLong * rest[e])) continue;
      const Vec3 along = d / length;
      const double mobile = along.dot((mobility.of(i) + mobility.of(j)) * along);
      if (!(mobile > 0.0)) continue;  // pins hold both ends
      const Vec3 pull = excess / mobile * along;
      y.segment<3>(3 * i) += mobility.of(i) * pull;
      y.segment<3>(3 * j) -= mobility.of(j) * pull;
      any = true;
    }
    if (!any) break;
  }
  return 0;
}

LongEdge longest_edge(const std::vector<LimitedEdge>& edges, const Vec2& scale, const VecX& x) {
  assert(!edges.empty());
  LongEdge longest{{}, -1.0};
  for (const LimitedEdge& edge : edges) {
    const auto [i, j] = edge.vertices;
    const double stretch = (x.segment<3>(3 * j) - x.segment<3>(3 * i)).norm() / edge.length(scale) - 1.0;
    if (stretch > longest.stretch) longest = {edge.vertices, stretch};
  }
  return longest;
}

std::vector<LimitedEdge> limited_edges(const TriangleMesh& mesh, const RestShape& rest) {
  std::map<Edge, std::vector<Vec2>> by_edge;
  for (int t = 0; t < mesh.triangle_count(); ++t)
    for (int k = 0; k < 3; ++k) {
      const int next = (k + 1) % 3, a = mesh.triangles[t][k], b = mesh.triangles[t][next];
      by_edge[{std::min(a, b), std::max(a, b)}].push_back(rest.corners[t][next] - rest.corners[t][k]);
    }
  std::vector<LimitedEdge> edges;
  edges.reserve(by_edge.size());
  for (auto& [vertices, between] : by_edge) edges.push_back({vertices, std::move(between)});
  return edges;
}

}  // namespace keydrape
