#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/inspect/shadow.h"
#include "core/mesh/topology.h"
#include "io/cli/commands.h"
#include "io/cli/console_text.h"
#include "io/cli/log.h"
#include "io/file/json_text.h"
#include "io/file/printable.h"
#include "io/formats/file_summary.h"
#include "io/formats/format.h"
#include "io/formats/read_cache.h"
#include "io/formats/vdb/vdb_info.h"
#include "io/perform/read_runs.h"
#include "io/shot/input/mesh.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

struct EdgeLengths {
  double min = 0.0, mean = 0.0, max = 0.0;
};

EdgeLengths edge_lengths(const TriangleMesh& mesh, const Topology& topology) {
  EdgeLengths lengths;
  for (const Edge& edge : topology.edges) {
    const double length = (mesh.positions[edge[0]] - mesh.positions[edge[1]]).norm();
    lengths.min = &edge == &topology.edges.front() ? length : std::min(lengths.min, length);
    lengths.max = std::max(lengths.max, length);
    lengths.mean += length / static_cast<double>(topology.edges.size());
  }
  return lengths;
}

Json list(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

Json list(const Eigen::AlignedBox3d& box) {
  return {{"min", list(Vec3(box.min()))}, {"max", list(Vec3(box.max()))}};
}

// Lengths and areas in the mesh's own units.
void describe(const TriangleMesh& mesh, const Topology& topology, Json& description) {
  Eigen::AlignedBox3d box;
  for (const Vec3& position : mesh.positions) box.extend(position);
  description["vertices"] = mesh.vertex_count();
  description["triangles"] = mesh.triangle_count();
  description["edges"] = topology.edges.size();
  description["hinges"] = topology.hinges.size();
  description["boundary_loops"] = topology.boundary_loop_count;
  description["components"] = topology.component_count;
  description["lines"] = mesh.lines.size();
  description["bounding_box"] = list(box);
  description["diagonal"] = box.diagonal().norm();
  description["area"] = surface_area(mesh.triangles, stacked(mesh.positions));
  const EdgeLengths lengths = edge_lengths(mesh, topology);
  description["edge_length"] = {{"min", lengths.min}, {"mean", lengths.mean}, {"max", lengths.max}};
  description["uvs"] = mesh.has_uvs();
  description["groups"] = Json::object();
  for (const auto& [name, vertices] : mesh.groups) description["groups"][name] = vertices.size();
}

Json field_list(const std::vector<FieldHeader>& fields) {
  Json list = Json::array();
  for (const FieldHeader& field : fields)
    list.push_back(fmt::format("{} ({}{})", field.name, field.components == 3 ? "vector, " : "",
                               field.place == FieldPlace::kVertex ? "vertices" : "triangles"));
  return list;
}

// What a cache has beside its mesh.
void describe_frames(const MeshCache& cache, Json& description) {
  Eigen::AlignedBox3d box;
  for (const CacheFrame& frame : cache.frames)
    for (Eigen::Index i = 0; i < frame.positions.size(); i += 3)
      box.extend(Vec3(frame.positions.segment<3>(i)));
  description["frames"] = cache.header.frame_count;
  description["first_frame"] = cache.header.first_frame;
  description["fps"] = cache.header.fps;
  description["meters_per_unit"] = cache.header.space.meters_per_unit;
  description["up_axis"] = cache.header.space.up_axis == UpAxis::kY ? "Y" : "Z";
  description["fields"] = field_list(cache.header.fields);
  description["bounding_box_of_all_frames"] = list(box);
}

// Formats that are only written: counts.
Json describe(const FileSummary& summary) {
  Json description = {{"vertices", summary.vertices},
                      {"triangles", summary.triangles},
                      {"frames", summary.frames},
                      {"fields", summary.fields}};
  if (summary.first_frame) description["first_frame"] = *summary.first_frame;
  if (summary.fps) description["fps"] = *summary.fps;
  return description;
}

std::string table(const Json& description) {
  std::string text;
  for (const auto& [key, value] : description.items())
    text += fmt::format("{:<27} {}\n", key, json_text(value));
  return text;
}

// For people: without what a cache of points alone has none of, and what says nothing.
std::string table_of_mesh(Json description, bool has_triangles) {
  if (!has_triangles)
    for (const char* key : {"triangles", "edges", "hinges", "boundary_loops", "components", "lines", "area",
                            "edge_length", "uvs", "groups"})
      description.erase(key);
  for (const char* key : {"defect", "warnings", "fields", "lines"})
    if (description.contains(key) && (description[key].empty() || description[key] == 0))
      description.erase(key);
  return table(description) +
         (has_triangles ? "" : "points alone: they belong to a mesh, --mesh of convert\n");
}

// Lengths in the file's own unit.
Json describe(const VdbGridInfo& grid) {
  Json description = {{"name", grid.name}, {"type", grid.type}};
  if (const auto& contents = grid.contents) {
    description["class"] = contents->grid_class;
    description["voxel"] = list(contents->voxel);
    description["band"] = contents->band ? Json(*contents->band) : Json();
    description["bounding_box"] = contents->bounding_box ? list(*contents->bounding_box) : Json();
    description["active_voxels"] = contents->active_voxels;
    description["memory_bytes"] = contents->memory_bytes;
  }
  description["defect"] = grid.defect.empty() ? Json() : Json(grid.defect);
  return description;
}

// A file of several grids serves as long as one of them does.
ExitCode info_vdb(const VdbReference& reference, const CommonOptions& options) {
  Json description = {{"format", "OpenVDB"}, {"grids", Json::array()}};
  std::string text = table({{"format", "OpenVDB"}});
  bool has_body = false;
  for (const VdbGridInfo& grid : read_vdb_info(reference)) {
    description["grids"].push_back(describe(grid));
    text += "\n" + table(description["grids"].back());
    has_body = has_body || grid.defect.empty();
  }
  print_text(options.json ? json_text(description, 2) + "\n" : text);
  return has_body ? ExitCode::kDone : ExitCode::kBadInput;
}

}  // namespace

ExitCode info(const std::filesystem::path& path, const CommonOptions& options) {
  if (std::filesystem::is_directory(path)) return run_info(path, options);
  if (const auto reference = VdbReference::parse(path.string()); is_vdb(reference.path))
    return info_vdb(reference, options);
  const FormatTraits& format = traits(format_of(path));
  if (!format.is_read) {
    Json description = {{"format", format.name}};
    description.update(describe(summarize_file(path)));
    print_text(options.json ? json_text(description, 2) + "\n" : table(description));
    return ExitCode::kDone;
  }
  ShotWarnings warnings;
  ReadCacheOptions read_options;
  read_options.warnings = &warnings;
  add_what_run_says(path, read_options);
  const MeshCache cache = read_cache(path, read_options);
  const TriangleMesh& mesh = cache.header.mesh;
  const Topology topology = build_topology(mesh.triangles, mesh.vertex_count());
  std::optional<std::string> defect;  // a cache of points is no mesh that could have one
  if (format.has_triangles) defect = find_mesh_defect(mesh, topology);
  if (const auto doubt =
          doubt_about_size(mesh, {.meters_per_unit = cache.header.space.meters_per_unit, .is_cloth = false}))
    warnings.push_back(fmt::format("{}: {}", path.string(), *doubt));
  if (const auto doubt = defect ? std::nullopt : doubt_about_slivers(mesh))
    warnings.push_back(fmt::format("{}: {}", path.string(), *doubt));
  log_warnings(warnings);

  Json description = {{"format", format.name}};
  describe(mesh, topology, description);
  describe_frames(cache, description);
  description["defect"] = defect ? Json(*defect) : Json();
  description["warnings"] = Json::array();
  for (const std::string& warning : warnings) description["warnings"].push_back(printable(warning));
  print_text(options.json ? json_text(description, 2) + "\n"
                          : table_of_mesh(description, format.has_triangles));
  return defect ? ExitCode::kBadInput : ExitCode::kDone;
}

}  // namespace keydrape
