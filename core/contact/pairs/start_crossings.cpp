#include "core/contact/pairs/start_crossings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/contact/pairs/pair_positions.h"
#include "core/mesh/topology.h"

namespace keydrape {

namespace {

constexpr int kRings = 2;  // of vertices round the curve, so that it can move

// What two triangles are, the first cut by the second: a place on the curve, seen from the first.
using OrientedPair = std::pair<int, int>;

class Curves {
 public:
  Curves(const std::vector<Triangle>& triangles, const VecX& x)
      : triangles_(triangles),
        topology_(build_topology(triangles, static_cast<int>(x.size() / 3))),
        faces_of_edge_(triangles_at_edges(triangles)) {
    neighbours_.resize(x.size() / 3);
    for (const auto& [a, b] : topology_.edges) neighbours_[a].push_back(b), neighbours_[b].push_back(a);
    crossings_ = list_intersections(triangles, x);
    join_crossings();
    fill_pieces();
  }

  // In ascending order of the first crossing of each.
  std::vector<CrossingParts> parts() const {
    std::vector<CrossingParts> all;
    std::set<int> seen;
    const int count = static_cast<int>(crossings_.size());
    for (int c = 0; c < count; ++c) {
      const int curve = root_of(c), mirrored = root_of(c + count);
      if (seen.contains(curve) || seen.contains(mirrored)) continue;
      seen.insert(curve);
      all.push_back({part(curve), part(mirrored)});
    }
    return all;
  }

 private:
  int root_of(int c) const {
    while (parent_[c] != c) c = parent_[c];
    return c;
  }

  // Crossing c is joined with those that share two triangles with it; c + count is the same one, but seen
  // from its face.
  void join_crossings() {
    const int count = static_cast<int>(crossings_.size());
    parent_.resize(2 * count);
    std::iota(parent_.begin(), parent_.end(), 0);
    std::map<OrientedPair, int> first;
    const auto join = [&](OrientedPair pair, int c) {
      const auto [at, is_new] = first.insert({pair, c});
      const int a = root_of(at->second), b = root_of(c);
      parent_[std::max(a, b)] = std::min(a, b);
    };
    for (int c = 0; c < count; ++c)
      for (const int t : faces_of_edge_.at(crossings_[c].edge)) {
        join({t, crossings_[c].face}, c);
        join({crossings_[c].face, t}, c + count);
      }
    for (const auto& [pair, c] : first) triangles_of_[root_of(c)].insert(pair.first);
  }

  // Pieces that are left of the mesh without the edges that go through something.
  void fill_pieces() {
    std::set<Edge> cut;
    for (const EdgeThroughFace& c : crossings_) cut.insert(c.edge);
    piece_of_.assign(neighbours_.size(), -1);
    std::vector<int> whole(topology_.component_count, 0);
    for (const int c : topology_.component_of_vertex)
      if (c >= 0) ++whole[c];
    for (int v = 0; v < static_cast<int>(neighbours_.size()); ++v) {
      if (piece_of_[v] >= 0 || topology_.component_of_vertex[v] < 0) continue;
      std::vector<int> piece{v};
      const int number = static_cast<int>(pieces_.size());
      piece_of_[v] = number;
      for (std::size_t k = 0; k < piece.size(); ++k)
        for (const int w : neighbours_[piece[k]])
          if (piece_of_[w] < 0 && !cut.contains({std::min(piece[k], w), std::max(piece[k], w)})) {
            piece_of_[w] = number;
            piece.push_back(w);
          }
      is_small_.push_back(2 * static_cast<int>(piece.size()) <= whole[topology_.component_of_vertex[v]]);
      pieces_.push_back(std::move(piece));
    }
  }

  // The side of a curve: its triangles, rings around, and the pieces beside it that it cuts off.
  std::vector<int> part(int curve) const {
    std::set<int> vertices, pieces;
    for (const int t : triangles_of_.at(curve))
      for (const int v : triangles_[t]) {
        vertices.insert(v);
        if (is_small_[piece_of_[v]]) pieces.insert(piece_of_[v]);
      }
    for (int ring = 0; ring < kRings; ++ring) {
      const std::vector<int> inner(vertices.begin(), vertices.end());
      for (const int v : inner) vertices.insert(neighbours_[v].begin(), neighbours_[v].end());
    }
    for (const int piece : pieces) vertices.insert(pieces_[piece].begin(), pieces_[piece].end());
    return {vertices.begin(), vertices.end()};
  }

  const std::vector<Triangle>& triangles_;
  Topology topology_;
  std::map<Edge, std::vector<int>> faces_of_edge_;
  std::vector<std::vector<int>> neighbours_;
  std::vector<EdgeThroughFace> crossings_;
  std::vector<int> parent_;                    // of crossings, then of their mirror images
  std::map<int, std::set<int>> triangles_of_;  // the near side of each curve
  std::vector<int> piece_of_;                  // by vertex; -1: of no triangle
  std::vector<std::vector<int>> pieces_;
  std::vector<char> is_small_;  // a piece that is at most half of its mesh
};

// Whether any of the crossings may have come of a pair of the two parts: an edge with a vertex in the one
// goes through a triangle with a vertex in the other. Edges at a part's border go along with their vertex.
bool is_left(const CrossingParts& parts, const std::vector<Triangle>& triangles,
             const std::vector<EdgeThroughFace>& crossings) {
  const auto touches = [](const std::vector<int>& part, const auto& feature) {
    return std::any_of(feature.begin(), feature.end(),
                       [&](int v) { return std::binary_search(part.begin(), part.end(), v); });
  };
  return std::any_of(crossings.begin(), crossings.end(), [&](const EdgeThroughFace& c) {
    const Triangle& face = triangles[c.face];
    return (touches(parts.first, c.edge) && touches(parts.second, face)) ||
           (touches(parts.second, c.edge) && touches(parts.first, face));
  });
}

// Pairs of features of the cloth within range at x, of those that collide with these exemptions, for which
// wanted(pair, how many vertices its first feature has, d): with the gap that they begin with.
template <class Wanted>
void append_near(const SurfacePairs& cloth, const ExemptionsPointer& exempt, const VecX& x,
                 const Wanted& wanted, std::vector<NearPair>& vertex_faces,
                 std::vector<NearPair>& edge_edges) {
  PairSearch search;
  const TouchingFeatures near = cloth.touching(cloth.with_bodies(x, 0.0), {{}, exempt}, search);
  const Barrier& barrier = cloth.layers().contact.barrier;
  const auto append = [&](const auto& pairs, int first_count, std::vector<NearPair>& to) {
    for (const auto& pair : pairs) {
      const double d = std::sqrt(pair.distance.squared());
      if (cloth.has_body(pair.vertices) || !wanted(pair.vertices, first_count, d)) continue;
      const std::optional<double> xi = first_gap(barrier, d);
      if (!xi || *xi < barrier.thickness) to.push_back({pair.vertices, xi});
    }
  };
  append(near.vertex_faces, 1, vertex_faces);
  append(near.edge_edges, 2, edge_edges);
}

// (X3), of pairs whose squared distance is squared(x). Whether any has changed.
template <class Squared>
bool widen(const Barrier& barrier, const VecX& x, const Squared& squared, std::vector<NearPair>& pairs) {
  bool has_changed = false;
  for (NearPair& pair : pairs) {
    const double d = std::sqrt(squared(gather(x, pair.vertices)));
    const std::optional<double> xi = pair.xi ? next_gap(barrier, *pair.xi, d) : first_gap(barrier, d);
    has_changed |= xi != pair.xi;
    pair.xi = xi;
  }
  std::erase_if(pairs, [&](const NearPair& pair) { return pair.xi && *pair.xi >= barrier.thickness; });
  return has_changed;
}

ExemptionsPointer pointer_to(Exemptions exemptions) {
  return exemptions.is_empty() ? nullptr : std::make_shared<const Exemptions>(std::move(exemptions));
}

}  // namespace

ExemptionsPointer exemptions_at_start(const SurfacePairs& cloth, const VecX& x) {
  std::vector<CrossingParts> crossing = Curves(cloth.cloth_triangles(), x).parts();
  const double xi = cloth.layers().contact.barrier.thickness;
  std::vector<NearPair> vertex_faces, edge_edges;
  append_near(
      cloth, pointer_to({crossing, {}, {}}), x,
      [&](const auto&, int, double d) { return !(d > (1.0 + kAtGap) * xi); }, vertex_faces, edge_edges);
  return pointer_to({std::move(crossing), std::move(vertex_faces), std::move(edge_edges)});
}

ExemptionsPointer exemptions_after(const SurfacePairs& cloth, const ExemptionsPointer& current,
                                   const VecX& x) {
  if (!current) return nullptr;
  const Barrier& barrier = cloth.layers().contact.barrier;
  std::vector<NearPair> vertex_faces = current->near_vertex_faces(), edge_edges = current->near_edge_edges();
  bool has_changed = widen(barrier, x, &vertex_face_squared_distance, vertex_faces);
  has_changed |= widen(barrier, x, &edge_edge_squared_distance, edge_edges);
  std::vector<CrossingParts> crossing = current->crossing();
  if (!crossing.empty()) {
    const std::vector<Triangle> triangles = cloth.cloth_triangles();
    const std::vector<EdgeThroughFace> crossings = list_intersections(triangles, x);
    std::erase_if(crossing,
                  [&](const CrossingParts& parts) { return !is_left(parts, triangles, crossings); });
    if (crossing.size() < current->crossing().size()) {
      has_changed = true;
      append_near(
          cloth, pointer_to({crossing, vertex_faces, edge_edges}), x,
          [&](const auto& vertices, int first_count, double) {
            return current->is_crossing(vertices, first_count);
          },
          vertex_faces, edge_edges);
    }
  }
  return has_changed ? pointer_to({std::move(crossing), std::move(vertex_faces), std::move(edge_edges)})
                     : current;
}

}  // namespace keydrape
