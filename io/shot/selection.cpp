#include "io/shot/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "io/shot/input/named_file.h"
#include "io/shot/input/vertex_weights.h"

namespace keydrape {
namespace {

VertexSelection in_full(std::vector<int> vertices) {
  std::vector<double> weights(vertices.size(), 1.0);
  return {std::move(vertices), std::move(weights)};
}

}  // namespace

VertexSelection select_all(const TriangleMesh& mesh) {
  std::vector<int> vertices(mesh.positions.size());
  std::iota(vertices.begin(), vertices.end(), 0);
  return in_full(std::move(vertices));
}

VertexSelection select_listed(const TriangleMesh& mesh, const Sourced<std::vector<int>>& vertices) {
  std::vector<int> ascending = vertices.value;
  std::sort(ascending.begin(), ascending.end());
  const int largest = ascending.back();
  if (largest >= mesh.vertex_count()) {
    throw InputError(
        fmt::format("{}: found vertex {}; expected 0 to {}, as the rest mesh has {} vertices; count "
                    "vertices from 0",
                    vertices.source.where(), largest, mesh.vertex_count() - 1, mesh.vertex_count()));
  }
  return in_full(std::move(ascending));
}

VertexSelection select_group(const TriangleMesh& mesh, const scene::Group& group) {
  return in_full(group_vertices(mesh, group.value, group.source.where()));
}

VertexSelection select_painted(const TriangleMesh& mesh, const scene::FilePath& weights) {
  const VecX painted = NamedFile{weights, "weights"}
                           .read([&] { return read_vertex_weights(weights.value, mesh.vertex_count()); })
                           .values;
  VertexSelection selection;
  for (int i = 0; i < mesh.vertex_count(); ++i) {
    if (painted[i] <= 0.0) continue;
    selection.vertices.push_back(i);
    selection.weights.push_back(painted[i]);
  }
  if (selection.vertices.empty()) {
    throw InputError(
        fmt::format("{}: all weights in {} are zero; expected one above zero; paint the vertices that "
                    "are meant",
                    weights.source.where(), weights.value.string()));
  }
  return selection;
}

VertexSelection select_group_or_painted(const TriangleMesh& mesh, const std::optional<scene::Group>& group,
                                        const std::optional<scene::FilePath>& weights) {
  if (group) return select_group(mesh, *group);
  if (weights) return select_painted(mesh, *weights);
  return select_all(mesh);
}

VecX dense_weights(const VertexSelection& selection, int vertex_count) {
  VecX weights = VecX::Zero(vertex_count);
  for (std::size_t k = 0; k < selection.vertices.size(); ++k)
    weights[selection.vertices[k]] = selection.weights[k];
  return weights;
}

}  // namespace keydrape
