#include "core/mesh/coarse_mesh.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "core/mesh/mesh_collapse.h"
#include "core/mesh/nearest_on_triangle.h"

namespace keydrape {
namespace {

// The vertices that span the bounding box, by themselves.
void add_extremes(const std::vector<Vec3>& positions, std::vector<std::vector<int>>& sets) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto [low, high] =
        std::minmax_element(positions.begin(), positions.end(),
                            [axis](const Vec3& a, const Vec3& b) { return a[axis] < b[axis]; });
    sets.push_back({static_cast<int>(low - positions.begin())});
    sets.push_back({static_cast<int>(high - positions.begin())});
  }
}

// Triangles around a kept vertex and around its neighbours.
std::vector<int> triangles_near(const MeshCollapse& collapse, int v) {
  std::vector<int> near = collapse.triangles_around(v);
  for (const int u : collapse.neighbours(v)) {
    const std::vector<int>& more = collapse.triangles_around(u);
    near.insert(near.end(), more.begin(), more.end());
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  return near;
}

void embed(const TriangleMesh& mesh, const MeshCollapse& collapse, int v, VertexEmbedding& embedding) {
  const int kept = collapse.kept_vertex_of(v);
  double least = std::numeric_limits<double>::infinity();
  for (const int t : triangles_near(collapse, kept)) {
    const Triangle& corners = collapse.triangle(t);
    const Vec3 &a = mesh.positions[corners[0]], &b = mesh.positions[corners[1]],
               &c = mesh.positions[corners[2]];
    const Vec3 weights = nearest_on_triangle(mesh.positions[v], a, b, c).weights;
    const double distance =
        (weights[0] * a + weights[1] * b + weights[2] * c - mesh.positions[v]).squaredNorm();
    if (!(distance < least)) continue;
    least = distance;
    embedding.corners[v] = corners;
    embedding.weights[v] = weights;
  }
  assert(least < std::numeric_limits<double>::infinity());
}

}  // namespace

VertexEmbedding VertexEmbedding::identity(int vertex_count) {
  VertexEmbedding embedding;
  for (int i = 0; i < vertex_count; ++i) {
    embedding.kept.push_back(i);
    embedding.corners.push_back({i, i, i});
    embedding.weights.push_back(Vec3::UnitX());
  }
  return embedding;
}

VecX VertexEmbedding::restricted(const VecX& fine) const {
  assert(fine.size() == 3 * vertex_count());
  VecX coarse(3 * coarse_count());
  for (int c = 0; c < coarse_count(); ++c) coarse.segment<3>(3 * c) = fine.segment<3>(3 * kept[c]);
  return coarse;
}

VecX VertexEmbedding::prolonged(const VecX& coarse) const {
  assert(coarse.size() == 3 * coarse_count());
  VecX fine = VecX::Zero(3 * vertex_count());
  for (int i = 0; i < vertex_count(); ++i)
    for (int k = 0; k < 3; ++k)
      fine.segment<3>(3 * i) += weights[i][k] * coarse.segment<3>(3 * corners[i][k]);
  return fine;
}

CoarseMesh coarsen_mesh(const TriangleMesh& mesh, int vertex_count, const std::vector<std::vector<int>>& sets,
                        Panels panels) {
  std::vector<std::vector<int>> all_sets = sets;
  add_extremes(mesh.positions, all_sets);
  MeshCollapse collapse(mesh, all_sets, panels);
  collapse.run(vertex_count);

  CoarseMesh coarse;
  VertexEmbedding& embedding = coarse.embedding;
  std::vector<int> number(mesh.positions.size(), -1);
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (collapse.kept_vertex_of(v) != v) continue;
    number[v] = embedding.coarse_count();
    embedding.kept.push_back(v);
    coarse.mesh.positions.push_back(mesh.positions[v]);
  }
  coarse.mesh.uvs = collapse.uvs();
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    if (!collapse.has_triangle(t)) continue;
    Triangle corners = collapse.triangle(t);
    for (int& v : corners) v = number[v];
    coarse.mesh.triangles.push_back(corners);
    if (mesh.has_uvs()) coarse.mesh.uv_triangles.push_back(collapse.uv_triangle(t));
  }
  for (const Edge& line : mesh.lines)
    if (number[line[0]] >= 0 && number[line[1]] >= 0)
      coarse.mesh.lines.push_back({number[line[0]], number[line[1]]});
  for (const auto& [name, vertices] : mesh.groups)
    for (const int v : vertices)
      if (number[v] >= 0) coarse.mesh.groups[name].push_back(number[v]);

  embedding.corners.resize(mesh.positions.size());
  embedding.weights.resize(mesh.positions.size());
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (number[v] >= 0) {
      embedding.corners[v] = {number[v], number[v], number[v]};
      embedding.weights[v] = Vec3::UnitX();
      continue;
    }
    embed(mesh, collapse, v, embedding);
    for (int& corner : embedding.corners[v]) corner = number[corner];
  }
  return coarse;
}

}  // namespace keydrape
