#include "io/templates/own_mesh.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/inspect/overlap.h"
#include "core/mesh/topology.h"
#include "io/file/counted.h"
#include "io/file/printable.h"
#include "io/file/short_number.h"
#include "io/formats/read_cache.h"
#include "io/shot/doubt/loose_parts.h"
#include "io/shot/input/mesh.h"

namespace keydrape {
namespace {

// Of the mesh's height: an edge's vertices that are no lower than this below the top are its upper edge.
constexpr double kUpperShare = 0.02;
// Height over width of a mesh that lies. Not tuned: sheets that are made lying have 0.
constexpr double kFlat = 0.02;
// What is deeper than this share of its width is round.
constexpr double kRound = 0.9;
// Features nearer than this are taken for one place [m]; where a mesh is nearer to itself than its fabric is
// thick, the gap is so much of what it has.
constexpr double kLeastGap = 1e-5, kShareOfGap = 0.5;
constexpr const char* kFabric = "wool";

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
  loops.reserve(by_root.size());
  for (auto& [first, vertices] : by_root) loops.push_back(std::move(vertices));
  return loops;
}

// The cloth as it lies in the mesh's own unit.
struct Extent {
  Eigen::AlignedBox3d box;
  int up;          // axis
  int wide, deep;  // the other two, the longer one first
  bool is_flat() const { return box.sizes()[up] < kFlat * box.sizes()[wide]; }
  // Whether it is wider than deep; what is round has no front.
  bool has_front() const { return box.sizes()[deep] < kRound * box.sizes()[wide]; }
  // The side at which it is held if nobody says otherwise: its top, or if it lies flat one end of it.
  int held_axis() const { return is_flat() ? wide : up; }
};

Extent extent_of(const TriangleMesh& mesh, int up) {
  Extent extent{{}, up, up == 0 ? 1 : 0, up == 2 ? 1 : 2};
  for (const Vec3& x : mesh.positions) extent.box.extend(x);
  const Vec3 size = extent.box.sizes();
  if (size[extent.deep] > size[extent.wide]) std::swap(extent.wide, extent.deep);
  return extent;
}

// Adds a group under this name, or under name_2, name_3, .. where the mesh has another of that name, which
// stays. Returns the name.
std::string add_group(TriangleMesh& mesh, const std::string& name, Vertices vertices) {
  std::sort(vertices.begin(), vertices.end());
  const auto is_free = [&](const std::string& candidate) {
    const auto found = mesh.groups.find(candidate);
    return found == mesh.groups.end() || found->second == vertices;
  };
  std::string free = name;
  for (int k = 2; !is_free(free); ++k) free = fmt::format("{}_{}", name, k);
  mesh.groups[free] = std::move(vertices);
  return free;
}

// Adds the groups and returns the name of the one that is most likely to hold the cloth.
std::string add_edge_groups(TriangleMesh& mesh, const Topology& topology, const Extent& extent) {
  const int axis = extent.held_axis();
  const auto height = [&](int v) { return mesh.positions[v][axis]; };
  const auto mean_height = [&](const Vertices& vertices) {
    return std::accumulate(vertices.begin(), vertices.end(), 0.0,
                           [&](double sum, int v) { return sum + height(v); }) /
           static_cast<double>(vertices.size());
  };
  std::vector<Vertices> loops = boundary_loops(topology, mesh.vertex_count());
  std::stable_sort(loops.begin(), loops.end(),
                   [&](const Vertices& a, const Vertices& b) { return mean_height(a) > mean_height(b); });
  Vertices upper;
  const double highest = extent.box.max()[axis], room = kUpperShare * extent.box.sizes()[axis];
  std::string highest_loop;
  for (std::size_t k = 0; k < loops.size(); ++k) {
    const std::string name = add_group(mesh, fmt::format("edge{}", k + 1), loops[k]);
    if (k == 0) highest_loop = name;
    for (const int v : loops[k]) {
      if (height(v) >= highest - room) upper.push_back(v);
    }
  }
  if (upper.empty()) return highest_loop;
  const std::string at_top = add_group(mesh, extent.is_flat() ? "side_edge" : "upper_edge", upper);
  return loops.size() == 1 || extent.is_flat() ? at_top : highest_loop;
}

// Each with its number of vertices and their middle, in metres as all that the scene file says: a name says
// little of where it is.
std::string group_list(const TriangleMesh& mesh, double meters_per_unit) {
  std::string text;
  for (const auto& [name, vertices] : mesh.groups) {
    Vec3 middle = Vec3::Zero();
    for (const int v : vertices)
      middle += mesh.positions[v] * (meters_per_unit / static_cast<double>(vertices.size()));
    text +=
        fmt::format("{}{} ({} about [{}, {}, {}] m)", text.empty() ? "" : ", ", name, vertices.size(),
                    short_number(middle.x(), 2), short_number(middle.y(), 2), short_number(middle.z(), 2));
  }
  return text;
}

// How large the cloth is, which shows a wrong unit.
std::string size_in_metres(const Extent& extent, double meters_per_unit) {
  const Vec3 size = meters_per_unit * extent.box.sizes();
  return fmt::format("{} x {} x {} m", short_number(size.x()), short_number(size.y()),
                     short_number(size.z()));
}

constexpr const char* kAxes[] = {"X", "Y", "Z"};

// Unit and axes.
void tell_extent(const Extent& extent, const Space& space, std::vector<std::string>& remarks) {
  remarks.push_back(
      fmt::format("units: {}, if a unit of the mesh is {} m; else change meters_per_unit in [shot]",
                  size_in_metres(extent, space.meters_per_unit), short_number(space.meters_per_unit)));
  remarks.push_back(fmt::format(
      "up: {}{}; if it is {}, change up_axis in [shot]", kAxes[extent.up],
      extent.is_flat() ? ", along which the mesh is flat: it lies, and swings down once it is let go" : "",
      extent.up == 1 ? "Z" : "Y"));
  if (!extent.is_flat() && extent.has_front())
    remarks.push_back(fmt::format(
        "front: it is wide along {} and faces {}, along which a breeze would come: [wind] velocity",
        kAxes[extent.wide], kAxes[extent.deep]));
}

void tell_pin(const TriangleMesh& mesh, const std::string& held, std::vector<std::string>& remarks) {
  std::string others;
  for (const auto& [name, vertices] : mesh.groups)
    if (name != held) others += fmt::format("{}{}", others.empty() ? "" : ", ", name);
  remarks.push_back(fmt::format("pins: {}, {}{}; if something else holds it, change group in [[pin]]", held,
                                counted(mesh.groups.at(held).size(), "vertex", "vertices"),
                                others.empty() ? "" : fmt::format(" (there are also {})", others)));
}

// Parts that the pin does not hold.
void tell_loose_parts(const TriangleMesh& mesh, const std::string& held, int up,
                      std::vector<std::string>& remarks) {
  std::vector<char> is_held(static_cast<std::size_t>(mesh.vertex_count()), 0);
  for (const int v : mesh.groups.at(held)) is_held[static_cast<std::size_t>(v)] = 1;
  const UnheldParts parts = find_loose_parts(mesh, {}, is_held);
  if (parts.loose.empty()) return;
  remarks.push_back(
      fmt::format("parts: nothing holds {}, and what nothing holds falls; add a [[pin]] for each of them, or "
                  "join them to what is held by [[spring]]",
                  loose_in_words(mesh, parts, stacked(mesh.positions), up)));
}

// [contact] for cloth that is at rest as the mesh is: with itself where that can be.
TemplateTable contact_table(const TriangleMesh& mesh, const Space& space, std::vector<std::string>& remarks) {
  ClothDescription cloth;
  cloth.mesh = mesh;
  for (Vec3& x : cloth.mesh.positions) x *= space.meters_per_unit;
  cloth.material = find_material_preset(kFabric).value();
  cloth.contact.self = true;
  const VecX x = stacked(cloth.mesh.positions);
  const std::vector<char> none(static_cast<std::size_t>(mesh.vertex_count()), 0);
  const SelfOverlap overlap = overlap_with_itself(cloth, x, none);
  if (overlap.through.count > 0) {
    const EdgeThroughFace& first = *overlap.through.first;
    remarks.push_back(fmt::format(
        "contact: off, since the mesh goes through itself in {}, the first where the edge of vertices "
        "{} and {} passes through triangle {}, counted from 0; set self = true and start_crossings = "
        "\"exempt\" in [contact], which lets them pass until they are apart; repair = true draws them out "
        "where they are few and shallow",
        counted(overlap.through.count, "place"), first.edge[0], first.edge[1], first.face));
    return {"contact",
            "the mesh goes through itself: with self = true name start_crossings = \"exempt\"",
            {{"self", "false"}}};
  }
  if (!overlap.close.nearest) {
    remarks.push_back(
        "contact: of the cloth with itself is on; where it cannot meet itself, self = false in "
        "[contact] is faster");
    return {"contact", "", {{"self", "true"}}};
  }
  const double nearest = overlap.close.nearest->distance;
  if (nearest < kLeastGap) {
    remarks.push_back(
        fmt::format("contact: off, since parts of the mesh lie {} apart in {}, as on seams that are "
                    "not welded; weld "
                    "them, or set self = true and start_crossings = \"exempt\" in [contact]",
                    length_text(nearest), counted(overlap.close.count, "place")));
    return {"contact",
            "parts of the mesh touch: with self = true name start_crossings = \"exempt\"",
            {{"self", "false"}}};
  }
  const std::string thickness = fmt::format("{:.2g}", kShareOfGap * nearest);
  remarks.push_back(
      fmt::format("contact: of the cloth with itself is on, with a thickness of {}, since parts of the mesh "
                  "lie {} apart; to "
                  "keep layers farther apart, change thickness in [contact]",
                  length_text(kShareOfGap * nearest), length_text(nearest)));
  return {"contact", "", {{"thickness", thickness}, {"self", "true"}}};
}

}  // namespace

SceneTemplate own_mesh_template(const std::filesystem::path& path, const OwnMeshSpace& own,
                                std::vector<std::string>& warnings) {
  ReadCacheOptions options;
  options.up_axis = own.up_axis;
  options.meters_per_unit = own.meters_per_unit;
  options.warnings = &warnings;
  const MeshCache cache = read_cache(path, options);
  TriangleMesh mesh = cache.header.mesh;
  if (mesh.triangles.empty())
    throw InputError(fmt::format("{}: has no triangles; expected a mesh, such as an OBJ", path.string()));
  const Topology topology = build_topology(mesh.triangles, mesh.vertex_count());
  if (const auto defect = find_mesh_defect(mesh, topology))
    throw InputError(fmt::format("{}: {}", path.string(), *defect));
  const Space& space = cache.header.space;
  if (const auto doubt = doubt_about_size(mesh, {.meters_per_unit = space.meters_per_unit}))
    warnings.push_back(fmt::format("{}: {}", path.string(), *doubt));
  if (const auto doubt = doubt_about_slivers(mesh))
    warnings.push_back(fmt::format("{}: {}", path.string(), *doubt));

  std::vector<std::string> remarks;
  const bool z_up = space.up_axis == UpAxis::kZ;
  const Extent extent = extent_of(mesh, z_up ? 2 : 1);
  tell_extent(extent, space, remarks);
  std::vector<TemplateTable> tables = {
      {"shot",
       "",
       {{"frames", "\"1001-1024\""},
        {"meters_per_unit", fmt::format("{}", space.meters_per_unit)},
        {"up_axis", z_up ? "\"Z\"" : "\"Y\""}}},
      {"cloth", "", {{"rest", "\"rest.obj\""}}},
      forgiving_material(fmt::format("\"{}\"", kFabric), "[900, 850]", "80", "1e-3")};
  if (topology.boundary_edges.empty()) {
    warnings.push_back(
        fmt::format("{}: has no edges that could be pinned: [[pin]] is a comment", path.string()));
    tables.push_back({"pin", "what holds it: give vertices or weights", {{"vertices", "[0]"}}, true});
  } else {
    const std::string held = add_edge_groups(mesh, topology, extent);
    tell_pin(mesh, held, remarks);
    tell_loose_parts(mesh, held, extent.up, remarks);
    tables.push_back({"pin",
                      fmt::format("what holds it; vertex groups of rest.obj: {}",
                                  printable(group_list(mesh, space.meters_per_unit))),
                      {{"group", fmt::format("\"{}\"", held)}}});
  }
  tables.push_back(contact_table(mesh, space, remarks));
  tables.push_back({"keyframe",
                    "a pose of rest.obj: sculpt one, then take the # away",
                    {{"frame", "1024"}, {"mesh", "\"pose.1024.obj\""}, {"tolerance", "0.01"}},
                    true});
  return {"mesh",
          fmt::format("a shot around {}, {} large (if it is not, change meters_per_unit)",
                      printable(path.filename().string()), size_in_metres(extent, space.meters_per_unit)),
          [mesh = std::move(mesh)] {
            return NamedMeshes{{"rest.obj", mesh}};
          },
          std::move(tables), std::move(remarks)};
}

}  // namespace keydrape
