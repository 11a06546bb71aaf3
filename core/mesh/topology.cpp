#include "core/mesh/topology.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <utility>

namespace keydrape {

namespace {

// One side of a triangle, from its first to its second vertex.
struct Side {
  Edge edge;  // smaller vertex first
  int triangle;
  int corner;    // of the vertex opposite
  bool forward;  // the triangle runs from the smaller to the larger vertex
};

std::vector<Side> sorted_sides(const std::vector<Triangle>& triangles) {
  std::vector<Side> sides;
  sides.reserve(3 * triangles.size());
  for (int t = 0; t < static_cast<int>(triangles.size()); ++t)
    for (int c = 0; c < 3; ++c) {
      const int a = triangles[t][(c + 1) % 3], b = triangles[t][(c + 2) % 3];
      sides.push_back({{std::min(a, b), std::max(a, b)}, t, c, a < b});
    }
  std::stable_sort(sides.begin(), sides.end(), [](const Side& l, const Side& r) { return l.edge < r.edge; });
  return sides;
}

// Union-find with path halving; the smallest member represents a set.
struct DisjointSets {
  std::vector<int> parent;
  explicit DisjointSets(int count) : parent(count) { std::iota(parent.begin(), parent.end(), 0); }
  int find(int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  }
  void unite(int i, int j) {
    i = find(i), j = find(j);
    parent[std::max(i, j)] = std::min(i, j);
  }
};

void add_edge(const std::vector<Side>& sides, size_t begin, size_t end,
              const std::vector<Triangle>& triangles, Topology& topology) {
  const Edge edge = sides[begin].edge;
  topology.edges.push_back(edge);
  if (end - begin == 1) topology.boundary_edges.push_back(edge);
  if (end - begin > 2) topology.non_manifold_edges.push_back(edge);
  if (end - begin != 2) return;
  Side a = sides[begin], b = sides[begin + 1];
  if (!a.forward && b.forward) std::swap(a, b);
  if (a.forward == b.forward) topology.flipped_hinges.push_back(static_cast<int>(topology.hinges.size()));
  const Edge along = a.forward ? edge : Edge{edge[1], edge[0]};
  topology.hinges.push_back(
      {{along[0], along[1], triangles[a.triangle][a.corner], triangles[b.triangle][b.corner]},
       a.triangle,
       b.triangle});
}

int count_boundary_loops(const std::vector<Edge>& boundary, int vertex_count) {
  DisjointSets loops(vertex_count);
  for (const auto& [i, j] : boundary) loops.unite(i, j);
  std::vector<bool> counted(vertex_count, false);
  int count = 0;
  for (const auto& [i, j] : boundary) {
    const int root = loops.find(i);
    if (!counted[root]) ++count;
    counted[root] = true;
  }
  return count;
}

template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  (out << ... << parts);
  return out.str();
}

std::optional<std::string> find_triangle_defect(const TriangleMesh& mesh) {
  // Relative to the triangle's own edges: a needle whose height is below 1e-7 of its length has
  // no usable plane.
  constexpr double kSmallestRelativeHeight = 1e-7;
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    if (a == b || b == c || c == a)
      return text("triangle ", t, " (", a, ", ", b, ", ", c, ") uses one vertex twice; remove the triangle");
    const Vec3 e = mesh.positions[b] - mesh.positions[a], f = mesh.positions[c] - mesh.positions[a];
    const double longest = std::max({e.norm(), f.norm(), (e - f).norm()});
    if (!(e.cross(f).norm() > kSmallestRelativeHeight * longest * longest))
      return text("triangle ", t, " (", a, ", ", b, ", ", c,
                  ") has no area; merge its vertices by distance, or remove it");
  }
  return std::nullopt;
}

// Two triangles of the same vertices, whichever way they run.
std::optional<std::string> find_repeated_triangle(const std::vector<Triangle>& triangles) {
  std::vector<std::pair<Triangle, int>> sorted;  // by vertices, then in the mesh's order
  for (size_t t = 0; t < triangles.size(); ++t) {
    sorted.emplace_back(triangles[t], static_cast<int>(t));
    std::sort(sorted.back().first.begin(), sorted.back().first.end());
  }
  std::sort(sorted.begin(), sorted.end());
  int count = 0;
  std::pair<int, int> first;  // the triangle that repeats another, and that one
  for (size_t k = 1; k < sorted.size(); ++k) {
    if (sorted[k].first != sorted[k - 1].first) continue;
    const std::pair found{sorted[k].second, sorted[k - 1].second};
    first = count++ == 0 ? found : std::min(first, found);
  }
  if (count == 0) return std::nullopt;
  const auto& [a, b, c] = triangles[first.second];
  return text("triangles ", first.second, " and ", first.first, " are one face given twice, (", a, ", ", b,
              ", ", c, ") (", count, " such in all); delete one of them");
}

// Of two triangles that are one face at least one hinge shows it: it folds onto itself, or it is flipped, or
// there is a third triangle at an edge.
bool may_repeat_triangles(const Topology& topology) {
  const auto folds_onto_itself = [](const Hinge& hinge) { return hinge.vertices[2] == hinge.vertices[3]; };
  return !topology.non_manifold_edges.empty() || !topology.flipped_hinges.empty() ||
         std::any_of(topology.hinges.begin(), topology.hinges.end(), folds_onto_itself);
}

// Whether triangles can be turned so that none is against its neighbours, by sets of them as they are and
// turned: in one set of a single side a triangle would be both.
bool is_one_sided(const Topology& topology, int triangle_count) {
  DisjointSets turned(2 * triangle_count);
  std::vector<char> is_flipped(topology.hinges.size(), 0);
  for (const int h : topology.flipped_hinges) is_flipped[static_cast<size_t>(h)] = 1;
  for (size_t h = 0; h < topology.hinges.size(); ++h) {
    const int a = topology.hinges[h].triangle_a, b = topology.hinges[h].triangle_b;
    const int as_it_is = is_flipped[h] ? triangle_count : 0;
    turned.unite(a, b + as_it_is);
    turned.unite(a + triangle_count, b + triangle_count - as_it_is);
  }
  for (int t = 0; t < triangle_count; ++t)
    if (turned.find(t) == turned.find(t + triangle_count)) return true;
  return false;
}

}  // namespace

Topology build_topology(const std::vector<Triangle>& triangles, int vertex_count) {
  Topology topology;
  const std::vector<Side> sides = sorted_sides(triangles);
  for (size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
    while (end < sides.size() && sides[end].edge == sides[begin].edge) ++end;
    add_edge(sides, begin, end, triangles, topology);
  }

  std::vector<bool> used(vertex_count, false);
  DisjointSets components(vertex_count);
  for (const auto& [a, b, c] : triangles) {
    used[a] = used[b] = used[c] = true;
    components.unite(a, b);
    components.unite(b, c);
  }
  topology.component_of_vertex.assign(vertex_count, -1);
  for (int i = 0; i < vertex_count; ++i) {
    if (!used[i]) {
      topology.loose_vertices.push_back(i);
    } else if (components.find(i) == i) {
      topology.component_of_vertex[i] = topology.component_count++;
    } else {
      topology.component_of_vertex[i] = topology.component_of_vertex[components.find(i)];
    }
  }
  topology.boundary_loop_count = count_boundary_loops(topology.boundary_edges, vertex_count);
  return topology;
}

std::map<Edge, std::vector<int>> triangles_at_edges(const std::vector<Triangle>& triangles) {
  std::map<Edge, std::vector<int>> at_edges;
  for (int t = 0; t < static_cast<int>(triangles.size()); ++t)
    for (int c = 0; c < 3; ++c) {
      const int a = triangles[t][c], b = triangles[t][(c + 1) % 3];
      at_edges[{std::min(a, b), std::max(a, b)}].push_back(t);
    }
  return at_edges;
}

std::optional<std::string> find_mesh_defect(const TriangleMesh& mesh, const Topology& topology) {
  if (mesh.triangles.empty()) return "the mesh has no triangles; cloth needs at least one";
  for (int i = 0; i < mesh.vertex_count(); ++i)
    if (!mesh.positions[i].allFinite()) return text("vertex ", i, " is not finite");
  if (!topology.loose_vertices.empty())
    return text("vertex ", topology.loose_vertices.front(), " belongs to no triangle (",
                topology.loose_vertices.size(), " such in all); delete loose vertices");
  if (auto defect = find_triangle_defect(mesh)) return defect;
  if (may_repeat_triangles(topology))
    if (auto defect = find_repeated_triangle(mesh.triangles)) return defect;
  if (!topology.non_manifold_edges.empty()) {
    const auto& [i, j] = topology.non_manifold_edges.front();
    return text("edge (", i, ", ", j, ") belongs to three triangles or more (",
                topology.non_manifold_edges.size(), " such in all); split the mesh there");
  }
  if (!topology.flipped_hinges.empty()) {
    const Hinge& hinge = topology.hinges[topology.flipped_hinges.front()];
    return text(
        "triangles ", hinge.triangle_a, " and ", hinge.triangle_b,
        " are turned against each other across edge (", hinge.vertices[0], ", ", hinge.vertices[1], ") (",
        topology.flipped_hinges.size(), " such in all); ",
        is_one_sided(topology, mesh.triangle_count())
            ? "the surface has a single side, as a Moebius strip, which no normals mend: cut it along "
              "an edge"
            : "recalculate the normals");
  }
  return std::nullopt;
}

}  // namespace keydrape
