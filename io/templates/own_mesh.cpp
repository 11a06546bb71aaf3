#include "io/templates/own_mesh.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/mesh/topology.h"
#include "io/formats/read_cache.h"
#include "io/shot/input/mesh.h"

namespace keydrape {
namespace {

// Of the mesh's height: an edge's vertices that are no lower than this below the top are its upper edge.
constexpr double kUpperShare = 0.02;

using Vertices = std::vector<int>;

// The boundary's connected parts, vertices ascending.
std::vector<Vertices> boundary_loops(const Topology& topology, int vertex_count) {
  Vertices parent(vertex_count);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const Edge& edge : topology.boundary_edges) parent[root(edge[0])] = root(edge[1]);
  std::map<int, Vertices> by_root;
  std::vector<bool> seen(vertex_count, false);
  for (const Edge& edge : topology.boundary_edges)
    for (const int v : edge) seen[v] = true;
  for (int v = 0; v < vertex_count; ++v) {
    if (seen[v]) by_root[root(v)].push_back(v);
  }
  std::vector<Vertices> loops;
  for (auto& [first, vertices] : by_root) loops.push_back(std::move(vertices));
  return loops;
}

// Adds the groups and returns the name of the one that is most likely to hold the cloth.
std::string add_edge_groups(TriangleMesh& mesh, const Topology& topology, int up) {
  const auto height = [&](int v) { return mesh.positions[v][up]; };
  const auto mean_height = [&](const Vertices& vertices) {
    return std::accumulate(vertices.begin(), vertices.end(), 0.0,
                           [&](double sum, int v) { return sum + height(v); }) /
           static_cast<double>(vertices.size());
  };
  std::vector<Vertices> loops = boundary_loops(topology, mesh.vertex_count());
  std::stable_sort(loops.begin(), loops.end(),
                   [&](const Vertices& a, const Vertices& b) { return mean_height(a) > mean_height(b); });
  Vertices upper;
  double lowest = height(0), highest = lowest;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    lowest = std::min(lowest, height(v));
    highest = std::max(highest, height(v));
  }
  for (std::size_t k = 0; k < loops.size(); ++k) {
    mesh.groups[fmt::format("edge{}", k + 1)] = loops[k];
    for (const int v : loops[k]) {
      if (height(v) >= highest - kUpperShare * (highest - lowest)) upper.push_back(v);
    }
  }
  std::sort(upper.begin(), upper.end());
  if (!upper.empty()) mesh.groups["upper_edge"] = upper;
  return loops.size() == 1 && !upper.empty() ? "upper_edge" : "edge1";
}

// Each with its number of vertices and their middle, in the mesh's unit: a name says little of where it is.
std::string group_list(const TriangleMesh& mesh) {
  std::string text;
  for (const auto& [name, vertices] : mesh.groups) {
    Vec3 middle = Vec3::Zero();
    for (const int v : vertices) middle += mesh.positions[v] / static_cast<double>(vertices.size());
    text += fmt::format("{}{} ({} about [{:.2g}, {:.2g}, {:.2g}])", text.empty() ? "" : ", ", name,
                        vertices.size(), middle.x(), middle.y(), middle.z());
  }
  return text;
}

// How large the cloth is, which shows a wrong unit.
std::string size_in_metres(const TriangleMesh& mesh, double meters_per_unit) {
  Eigen::AlignedBox3d box;
  for (const Vec3& x : mesh.positions) box.extend(x);
  const Vec3 size = meters_per_unit * box.sizes();
  return fmt::format("{:.2g} x {:.2g} x {:.2g} m", size.x(), size.y(), size.z());
}

}  // namespace

SceneTemplate own_mesh_template(const std::filesystem::path& path, std::vector<std::string>& warnings) {
  ReadCacheOptions options;
  options.warnings = &warnings;
  const MeshCache cache = read_cache(path, options);
  TriangleMesh mesh = cache.header.mesh;
  if (mesh.triangles.empty())
    throw InputError(fmt::format("{}: has no triangles; expected a mesh, such as an OBJ", path.string()));
  const Topology topology = build_topology(mesh.triangles, mesh.vertex_count());
  if (const auto defect = find_mesh_defect(mesh, topology))
    throw InputError(fmt::format("{}: {}", path.string(), *defect));
  const Space& space = cache.header.space;
  if (const auto doubt = doubt_about_size(space.meters_per_unit * bounding_box_diagonal(mesh.positions)))
    warnings.push_back(fmt::format("{}: {}", path.string(), *doubt));
  if (const auto doubt = doubt_about_slivers(mesh))
    warnings.push_back(fmt::format("{}: {}", path.string(), *doubt));

  const bool z_up = space.up_axis == UpAxis::kZ;
  std::vector<TemplateTable> tables = {{"shot",
                                        "",
                                        {{"frames", "\"1001-1024\""},
                                         {"meters_per_unit", fmt::format("{}", space.meters_per_unit)},
                                         {"up_axis", z_up ? "\"Z\"" : "\"Y\""}}},
                                       {"cloth", "", {{"rest", "\"rest.obj\""}}},
                                       forgiving_material("\"wool\"", "[900, 850]", "80", "1e-3")};
  if (topology.boundary_edges.empty()) {
    warnings.push_back(
        fmt::format("{}: has no edges that could be pinned: [[pin]] is a comment", path.string()));
    tables.push_back({"pin", "what holds it: give vertices or weights", {{"vertices", "[0]"}}, true});
  } else {
    const std::string held = add_edge_groups(mesh, topology, z_up ? 2 : 1);
    tables.push_back({"pin",
                      fmt::format("what holds it; vertex groups of rest.obj: {}", group_list(mesh)),
                      {{"group", fmt::format("\"{}\"", held)}}});
  }
  tables.push_back({"keyframe",
                    "a pose of rest.obj: sculpt one, then take the # away",
                    {{"frame", "1024"}, {"mesh", "\"pose.1024.obj\""}, {"tolerance", "0.01"}},
                    true});
  tables.push_back({"control", "", {{"max_forward_simulations", "8"}}});
  return {"mesh",
          fmt::format("a shot around {}, {} large (if it is not, change meters_per_unit)",
                      path.filename().string(), size_in_metres(mesh, space.meters_per_unit)),
          [mesh = std::move(mesh)] {
            return NamedMeshes{{"rest.obj", mesh}};
          },
          std::move(tables)};
}

}  // namespace keydrape
