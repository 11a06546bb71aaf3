#include "core/contact/broad_phase.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <array>
#include <cassert>

namespace keydrape {

namespace {

template <size_t N>
BoxTree tree_over(const std::vector<std::array<int, N>>& parts, const std::vector<char>& is_cloth,
                  const VecX& x) {
  std::vector<Vec3> centers;
  std::vector<char> is_passive;
  for (const std::array<int, N>& part : parts) {
    Vec3 sum = Vec3::Zero();
    bool any_cloth = false;
    for (int v : part) {
      sum += x.segment<3>(3 * v);
      any_cloth |= is_cloth[v] != 0;
    }
    centers.push_back(sum / N);
    is_passive.push_back(!any_cloth);
  }
  return BoxTree(centers, std::move(is_passive));
}

Box vertex_box(const VecX& x, const VecX& y, int v, double margin) {
  const Vec3 a = x.segment<3>(3 * v), b = y.segment<3>(3 * v);
  return {a.cwiseMin(b).array() - margin, a.cwiseMax(b).array() + margin};
}

template <size_t N>
std::vector<Box> boxes_over(const std::vector<std::array<int, N>>& parts, const VecX& x, const VecX& y,
                            double margin) {
  std::vector<Box> boxes(parts.size());
  tbb::parallel_for(tbb::blocked_range<size_t>(0, parts.size(), 1024), [&](const auto& r) {
    for (size_t i = r.begin(); i < r.end(); ++i)
      for (int v : parts[i]) boxes[i].add(vertex_box(x, y, v, margin));
  });
  return boxes;
}

template <size_t N, size_t M>
bool share_a_vertex(const std::array<int, N>& a, const std::array<int, M>& b) {
  return std::any_of(a.begin(), a.end(), [&](int v) { return std::find(b.begin(), b.end(), v) != b.end(); });
}

// Runs find(i, partners), which appends the partners of the query i, for all i in [0, order.size()), and
// returns make(i, partner) for all of them, ascending. `order`: the order in which to run, neighbours close
// to each other.
template <class Pair, class Find, class Make>
std::vector<Pair> collect(std::span<const int> order, const Find& find, const Make& make) {
  constexpr int kBlock = 256;
  struct Found {
    int block, begin, count;
  };
  const int query_count = static_cast<int>(order.size());
  std::vector<Found> found(query_count);
  std::vector<std::vector<int>> partners((query_count + kBlock - 1) / kBlock);
  tbb::parallel_for(0, static_cast<int>(partners.size()), [&](int block) {
    std::vector<int>& mine = partners[block];
    for (int k = block * kBlock; k < std::min(query_count, (block + 1) * kBlock); ++k) {
      const int begin = static_cast<int>(mine.size());
      find(order[k], mine);
      std::sort(mine.begin() + begin, mine.end());
      found[order[k]] = {block, begin, static_cast<int>(mine.size()) - begin};
    }
  });
  std::vector<Pair> pairs;
  size_t count = 0;
  for (const Found& f : found) count += f.count;
  pairs.reserve(count);
  for (int i = 0; i < query_count; ++i)
    for (int k = 0; k < found[i].count; ++k)
      pairs.push_back(make(i, partners[found[i].block][found[i].begin + k]));
  return pairs;
}

std::vector<EdgeEdgePair> edge_edge_candidates(const ContactSurface& surface, const BoxTree& tree,
                                               const std::vector<Box>& boxes) {
  const BoxTree::Fitted fitted = tree.fit(boxes);
  return collect<EdgeEdgePair>(
      tree.order(),
      [&](int i, std::vector<int>& partners) {
        fitted.search(boxes[i], i, tree.is_passive(i), [&](int j) {
          if (!share_a_vertex(surface.edges[i], surface.edges[j])) partners.push_back(j);
        });
      },
      [](int i, int j) {
        return EdgeEdgePair{i, j};
      });
}

std::vector<VertexFacePair> vertex_face_candidates(const ContactSurface& surface, const BoxTree& tree,
                                                   const std::vector<Box>& boxes,
                                                   const std::vector<int>& order, const VecX& x,
                                                   const VecX& y, double margin) {
  const BoxTree::Fitted fitted = tree.fit(boxes);
  return collect<VertexFacePair>(
      order,
      [&](int i, std::vector<int>& partners) {
        const int v = surface.vertices[i];
        fitted.search(vertex_box(x, y, v, margin), -1, !surface.is_cloth[v], [&](int j) {
          if (!share_a_vertex(std::array{v}, surface.faces[j])) partners.push_back(j);
        });
      },
      [&](int i, int j) {
        return VertexFacePair{surface.vertices[i], j};
      });
}

}  // namespace

BroadPhase::BroadPhase(ContactSurface surface, const VecX& x)
    : surface_(std::move(surface)),
      edges_(tree_over(surface_.edges, surface_.is_cloth, x)),
      faces_(tree_over(surface_.faces, surface_.is_cloth, x)) {
  assert(std::is_sorted(surface_.vertices.begin(), surface_.vertices.end()));
  std::vector<std::array<int, 1>> points;
  for (int v : surface_.vertices) points.push_back({v});
  const BoxTree vertices = tree_over(points, surface_.is_cloth, x);
  vertex_order_.assign(vertices.order().begin(), vertices.order().end());
}

CandidatePairs BroadPhase::candidates(const VecX& x, const VecX& y, double reach) const {
  assert(x.size() == y.size() && reach >= 0);
  const double margin = 0.5 * reach;
  const std::vector<Box> edge_boxes = boxes_over(surface_.edges, x, y, margin);
  const std::vector<Box> face_boxes = boxes_over(surface_.faces, x, y, margin);
  CandidatePairs pairs;
  tbb::parallel_invoke([&] { pairs.edge_edges = edge_edge_candidates(surface_, edges_, edge_boxes); },
                       [&] {
                         pairs.vertex_faces = vertex_face_candidates(surface_, faces_, face_boxes,
                                                                     vertex_order_, x, y, margin);
                       });
  return pairs;
}

}  // namespace keydrape
