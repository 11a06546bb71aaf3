#include "io/shot/doubt/loose_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/mesh/topology.h"
#include "io/shot/doubt/start_boxes.h"
#include "io/shot/doubt/vertex_words.h"

namespace keydrape {
namespace {

constexpr std::size_t kNamedParts = 3;

int highest_of(const std::vector<int>& vertices, const VecX& x, int up) {
  return *std::max_element(vertices.begin(), vertices.end(),
                           [&](int a, int b) { return x[3 * a + up] < x[3 * b + up]; });
}

// Whether a body is beside or below these vertices, so that it may catch them.
bool is_caught(const std::vector<int>& vertices, const VecX& x, int up,
               const std::vector<Eigen::AlignedBox3d>& bodies) {
  const Eigen::AlignedBox3d part = box_of(vertices, x);
  return std::any_of(bodies.begin(), bodies.end(), [&](const Eigen::AlignedBox3d& body) {
    Eigen::AlignedBox3d below = part;
    below.min()[up] = std::min(below.min()[up], body.min()[up]);
    return below.intersects(body);
  });
}

}  // namespace

UnheldParts find_loose_parts(const TriangleMesh& mesh, const std::vector<Edge>& joints,
                             const std::vector<char>& held) {
  const Topology topology = build_topology(mesh.triangles, mesh.vertex_count());
  const std::vector<int>& component = topology.component_of_vertex;
  std::vector<int> parent(static_cast<std::size_t>(topology.component_count));
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int v) {
    int c = component[static_cast<std::size_t>(v)];
    while (parent[static_cast<std::size_t>(c)] != c) c = parent[static_cast<std::size_t>(c)];
    return c;
  };
  for (const auto& [a, b] : joints) parent[static_cast<std::size_t>(root(a))] = root(b);
  std::vector<std::vector<int>> parts(parent.size());
  std::vector<char> is_held(parent.size(), 0);
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (component[static_cast<std::size_t>(v)] < 0) continue;
    const auto part = static_cast<std::size_t>(root(v));
    parts[part].push_back(v);
    is_held[part] |= held[static_cast<std::size_t>(v)];
  }
  UnheldParts found;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (parts[k].empty()) continue;
    ++found.part_count;
    if (!is_held[k]) found.loose.push_back(std::move(parts[k]));
  }
  std::stable_sort(found.loose.begin(), found.loose.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return found;
}

std::string loose_in_words(const TriangleMesh& mesh, const UnheldParts& parts, const VecX& x, int up) {
  const std::size_t count = parts.loose.size(), named = std::min(kNamedParts, count);
  std::string text = fmt::format("{} of {} parts", count, parts.part_count);
  for (std::size_t k = 0; k < named; ++k)
    text += fmt::format("{} one of {} vertices (highest: {})", k == 0 ? ":" : ",", parts.loose[k].size(),
                        vertex_in_words(mesh, highest_of(parts.loose[k], x, up)));
  return count > named ? fmt::format("{}, and {} smaller", text, count - named) : text;
}

void warn_of_loose_parts(const Scene& scene, const ClothDescription& cloth, const VecX& start,
                         ShotWarnings& warnings) {
  std::vector<char> held(static_cast<std::size_t>(cloth.mesh.vertex_count()), 0);
  for (const HardPin& pin : cloth.pins)
    for (const int v : pin.vertices) held[static_cast<std::size_t>(v)] = 1;
  for (const SoftPin& pin : cloth.soft_pins)
    for (const int v : pin.vertices) held[static_cast<std::size_t>(v)] = 1;
  if (std::find(held.begin(), held.end(), 1) == held.end() || cloth.gravity.at(0.0).isZero(0)) return;
  std::vector<Edge> joints;
  for (const SpringSpec& spring : cloth.springs) joints.push_back(spring.vertices);
  UnheldParts parts = find_loose_parts(cloth.mesh, joints, held);
  const int up = scene.shot.up_axis == UpAxis::kY ? 1 : 2;
  const std::vector<Eigen::AlignedBox3d> bodies = body_boxes(cloth);
  std::erase_if(parts.loose, [&](const auto& part) { return is_caught(part, start, up, bodies); });
  if (parts.loose.empty()) return;
  const bool is_searched = !scene.keyframes.empty() || !scene.tracks.empty();
  warnings.push_back(fmt::format(
      "{}: [cloth] rest: no [[pin]] holds {}; what nothing holds falls{}: pin {} as well, or join {} to the "
      "rest by [[spring]]",
      scene.cloth.rest.source.where(), loose_in_words(cloth.mesh, parts, start, up),
      is_searched ? ", but for the forces of a search" : "", parts.loose.size() == 1 ? "it" : "them",
      parts.loose.size() == 1 ? "it" : "them"));
}

}  // namespace keydrape
