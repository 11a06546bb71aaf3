#include "core/contact/pairs/broad_phase.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>

namespace keydrape {

namespace {

template <size_t N>
using Parts = std::vector<std::array<int, N>>;  // each by its vertices

Parts<1> as_parts(const std::vector<int>& vertices) {
  Parts<1> parts;
  for (int v : vertices) parts.push_back({v});
  return parts;
}

template <size_t N>
BoxTree tree_over(const Parts<N>& parts, const std::vector<char>& is_cloth, const VecX& x) {
  std::vector<Vec3> centers;
  std::vector<char> is_passive;
  for (const auto& part : parts) {
    Vec3 sum = Vec3::Zero();
    for (int v : part) sum += x.segment<3>(3 * v);
    centers.push_back(sum / N);
    is_passive.push_back(std::none_of(part.begin(), part.end(), [&](int v) { return is_cloth[v]; }));
  }
  return BoxTree(centers, std::move(is_passive));
}

// Of every vertex of the array at x and at y, grown by `margin`.
std::vector<Box> vertex_boxes(const VecX& x, const VecX& y, double margin) {
  std::vector<Box> boxes(x.size() / 3);
  for (size_t v = 0; v < boxes.size(); ++v) {
    const Vec3 a = x.segment<3>(3 * v), b = y.segment<3>(3 * v);
    boxes[v] = {a.cwiseMin(b).array() - margin, a.cwiseMax(b).array() + margin};
  }
  return boxes;
}

template <size_t N>
BoxTree::Fitted fitted(const BoxTree& tree, const Parts<N>& parts, const std::vector<Box>& of_vertices) {
  std::vector<Box> boxes(parts.size());
  for (size_t i = 0; i < parts.size(); ++i)
    for (int v : parts[i]) boxes[i].add(of_vertices[v]);
  return tree.fit(boxes);
}

template <size_t N, size_t M>
bool share_a_vertex(const std::array<int, N>& a, const std::array<int, M>& b) {
  bool any = false;
  for (int v : a)
    for (int w : b) any |= v == w;
  return any;
}

struct Places {
  int first, second;
};

// Runs find(leaf, found), which appends pairs, for every leaf of `tree`; returns make(pair) for all of them,
// ascending. Each pair must be found once, its first below `first_count`.
template <class Pair, class Find, class Make>
std::vector<Pair> collect(const BoxTree& tree, int first_count, const Find& find, const Make& make) {
  std::vector<std::vector<Places>> of_leaf(tree.leaf_count());
  tbb::parallel_for(tbb::blocked_range<int>(0, tree.leaf_count(), 16), [&](const auto& r) {
    for (int leaf = r.begin(); leaf < r.end(); ++leaf) find(leaf, of_leaf[leaf]);
  });

  // Sorted by counting, then within each first.
  std::vector<int> begin(first_count + 1, 0);
  for (const std::vector<Places>& found : of_leaf)
    for (const Places& pair : found) ++begin[pair.first + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<int> seconds(begin.back()), next(begin.begin(), begin.end() - 1);
  for (const std::vector<Places>& found : of_leaf)
    for (const Places& pair : found) seconds[next[pair.first]++] = pair.second;
  std::vector<Pair> pairs;
  pairs.reserve(seconds.size());
  for (int i = 0; i < first_count; ++i) {
    std::sort(seconds.begin() + begin[i], seconds.begin() + begin[i + 1]);
    for (int k = begin[i]; k < begin[i + 1]; ++k) pairs.push_back(make(Places{i, seconds[k]}));
  }
  return pairs;
}

}  // namespace

BroadPhase::BroadPhase(ContactSurface surface, const VecX& x)
    : surface_(std::move(surface)),
      vertices_(tree_over(as_parts(surface_.vertices), surface_.is_cloth, x)),
      edges_(tree_over(surface_.edges, surface_.is_cloth, x)),
      faces_(tree_over(surface_.faces, surface_.is_cloth, x)) {
  assert(std::is_sorted(surface_.vertices.begin(), surface_.vertices.end()));
}

CandidatePairs BroadPhase::candidates(const VecX& x, const VecX& y, double reach, bool of_cloth) const {
  assert(x.size() == y.size() && reach >= 0);
  using Pairing = BoxTree::Fitted::Pairing;
  const std::vector<Box> boxes = vertex_boxes(x, y, 0.5 * reach);
  // Features are of cloth or of a body with all their vertices.
  const auto is_left_out = [&](int v, int w) {
    return !of_cloth && surface_.is_cloth[v] && surface_.is_cloth[w];
  };
  CandidatePairs pairs;
  const auto edge_edge = [&] {
    const BoxTree::Fitted edges = fitted(edges_, surface_.edges, boxes);
    const auto find = [&](int leaf, std::vector<Places>& found) {
      edges.join_leaf(leaf, edges, Pairing::kOnce, [&](int i, int j) {
        if (!is_left_out(surface_.edges[i][0], surface_.edges[j][0]) &&
            !share_a_vertex(surface_.edges[i], surface_.edges[j]))
          found.push_back({std::min(i, j), std::max(i, j)});
      });
    };
    pairs.edge_edges = collect<EdgeEdgePair>(edges_, edges_.item_count(), find, [](const Places& p) {
      return EdgeEdgePair{p.first, p.second};
    });
  };
  const auto vertex_face = [&] {
    const BoxTree::Fitted vertices = fitted(vertices_, as_parts(surface_.vertices), boxes);
    const BoxTree::Fitted faces = fitted(faces_, surface_.faces, boxes);
    const auto find = [&](int leaf, std::vector<Places>& found) {
      vertices.join_leaf(leaf, faces, Pairing::kAll, [&](int i, int j) {
        if (!is_left_out(surface_.vertices[i], surface_.faces[j][0]) &&
            !share_a_vertex(std::array{surface_.vertices[i]}, surface_.faces[j]))
          found.push_back({i, j});
      });
    };
    pairs.vertex_faces =
        collect<VertexFacePair>(vertices_, vertices_.item_count(), find, [&](const Places& p) {
          return VertexFacePair{surface_.vertices[p.first], p.second};
        });
  };
  tbb::parallel_invoke(edge_edge, vertex_face);
  return pairs;
}

}  // namespace keydrape
