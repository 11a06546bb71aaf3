#include "io/shot/doubt/weight_cover.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/mesh/topology.h"
#include "io/file/printable.h"
#include "io/file/short_number.h"
#include "io/shot/input/named_file.h"
#include "io/shot/input/vertex_weights.h"

namespace keydrape {
namespace {

// Fewer single vertices are buttons or hooks.
constexpr int kManySingles = 8;

struct WeightsOfTable {
  std::string table;  // "[[pin]]"
  std::string key;
  const scene::FilePath& file;
  int line;  // of the table
};

std::vector<WeightsOfTable> weights_of(const Scene& scene) {
  std::vector<WeightsOfTable> list;
  const auto add = [&](const char* table, const char* key, const auto& file, const SourcePosition& source) {
    if (file) list.push_back({table, key, *file, source.line});
  };
  for (const scene::Pin& pin : scene.pins) add("[[pin]]", "weights", pin.weights, pin.source);
  for (const scene::Keyframe& k : scene.keyframes) {
    add("[[keyframe]]", "weights", k.weights, k.source);
    add("[[keyframe]]", "velocity_weights", k.velocity_weights, k.source);
  }
  for (const scene::Track& t : scene.tracks) add("[[track]]", "weights", t.weights, t.source);
  add("[control]", "weights", scene.control.weights, scene.control.source);
  return list;
}

class CoverMeter {
 public:
  explicit CoverMeter(const TriangleMesh& rest)
      : rest_(rest), topology_(build_topology(rest.triangles, rest.vertex_count())) {
    inner_.assign(static_cast<std::size_t>(rest.vertex_count()), 1);
    for (const Edge& edge : topology_.boundary_edges)
      for (const int v : edge) inner_[static_cast<std::size_t>(v)] = 0;
  }

  // How many vertices a list names, if they are the first of the mesh and look like all of another; else 0.
  int length_of_other_mesh(const PaintedWeights& painted) const {
    const auto end = std::find(painted.named.begin(), painted.named.end(), 0);
    const int count = static_cast<int>(end - painted.named.begin()), n = rest_.vertex_count();
    if (count == 0 || count == n || std::find(end, painted.named.end(), 1) != painted.named.end()) return 0;
    const bool names_zeros = (painted.values.head(count).array() == 0.0).any();
    if (!names_zeros && 2 * count < n) return 0;
    return is_natural(count) ? 0 : count;
  }

  // Inner vertices with weight, none of whose neighbours has any.
  int single_count(const VecX& weights) const {
    std::vector<char> is_single = inner_;
    for (const auto& [a, b] : topology_.edges)
      if (weights[a] > 0.0 && weights[b] > 0.0)
        is_single[static_cast<std::size_t>(a)] = is_single[static_cast<std::size_t>(b)] = 0;
    int count = 0;
    for (int v = 0; v < rest_.vertex_count(); ++v)
      count += weights[v] > 0.0 && is_single[static_cast<std::size_t>(v)];
    return count;
  }

 private:
  // Whether the first `count` vertices are whole parts of the mesh, or a group.
  bool is_natural(int count) const {
    const std::vector<int>& part = topology_.component_of_vertex;
    const bool is_parts = std::none_of(topology_.edges.begin(), topology_.edges.end(),
                                       [&](const Edge& edge) { return edge[0] < count && edge[1] >= count; });
    return !part.empty() &&
           (is_parts || std::any_of(rest_.groups.begin(), rest_.groups.end(), [&](const auto& g) {
              return static_cast<int>(g.second.size()) == count && g.second.back() == count - 1;
            }));
  }

  const TriangleMesh& rest_;
  Topology topology_;
  std::vector<char> inner_;  // (n) no edge of the boundary is at it
};

std::string cover_text(const WeightsOfTable& weights, const VecX& values) {
  const auto count = (values.array() > 0.0).count();
  const std::string whose = fmt::format("{} for {}{}", printable(weights.file.value.filename().string()),
                                        weights.key == "weights" ? "" : weights.key + " of ",
                                        weights.file.source.has_lines
                                            ? fmt::format("the {} of line {}", weights.table, weights.line)
                                            : weights.table);
  if (count == values.size())
    return fmt::format("{}: all {} vertices have weight, {} to {}", whose, count,
                       short_number(values.minCoeff()), short_number(values.maxCoeff()));
  return fmt::format("{}: {} of {} vertices {} weight, the others none", whose, count, values.size(),
                     count == 1 ? "has" : "have");
}

}  // namespace

std::vector<std::string> weight_cover(const Scene& scene, const TriangleMesh& rest, ShotWarnings& warnings) {
  std::vector<std::string> lines;
  const std::vector<WeightsOfTable> all = weights_of(scene);
  if (all.empty()) return lines;
  const CoverMeter meter(rest);
  for (const WeightsOfTable& weights : all) {
    const std::string role = fmt::format("{} {}", weights.table, weights.key);
    const PaintedWeights painted = NamedFile{weights.file, role}.read(
        [&] { return read_vertex_weights(weights.file.value, rest.vertex_count()); });
    lines.push_back(cover_text(weights, painted.values));
    const std::string place = fmt::format("{}: {}: {}: ", weights.file.source.where(), role,
                                          printable(weights.file.value.filename().string()));
    const int length = meter.length_of_other_mesh(painted);
    if (length > 0)
      warnings.push_back(
          fmt::format("{}names vertices 0 to {} without a gap and none of the {} others, as a list for "
                      "another mesh would; these have weight 0: paint the weights on this very mesh, or name "
                      "the others with 0",
                      place, length - 1, rest.vertex_count() - length));
    const int singles = meter.single_count(painted.values);
    const auto count = (painted.values.array() > 0.0).count();
    if (singles >= kManySingles && 2 * singles > count)
      warnings.push_back(
          fmt::format("{}{} of its {} vertices with weight have no neighbour with weight: they lie "
                      "scattered, as those of another mesh would; paint the weights on this very mesh",
                      place, singles, count));
  }
  return lines;
}

}  // namespace keydrape
