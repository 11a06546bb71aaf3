#include <fmt/format.h>

#include <Eigen/Geometry>
#include <nlohmann/json.hpp>

#include "core/topology.h"
#include "io/cli/commands.h"
#include "io/cli/log.h"
#include "io/cli/report.h"
#include "io/obj.h"
#include "io/shot_mesh.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

double area(const TriangleMesh& mesh) {
  double sum = 0.0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3 a = mesh.positions[t[1]] - mesh.positions[t[0]],
               b = mesh.positions[t[2]] - mesh.positions[t[0]];
    sum += 0.5 * a.cross(b).norm();
  }
  return sum;
}

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

// Lengths and areas in the mesh's own units.
Json describe(const TriangleMesh& mesh, const Topology& topology) {
  Eigen::AlignedBox3d box;
  for (const Vec3& position : mesh.positions) box.extend(position);
  const EdgeLengths lengths = edge_lengths(mesh, topology);
  Json groups = Json::object();
  for (const auto& [name, vertices] : mesh.groups) groups[name] = vertices.size();
  return {{"vertices", mesh.vertex_count()},
          {"triangles", mesh.triangle_count()},
          {"edges", topology.edges.size()},
          {"hinges", topology.hinges.size()},
          {"boundary_loops", topology.boundary_loop_count},
          {"components", topology.component_count},
          {"lines", mesh.lines.size()},
          {"bounding_box", {{"min", list(box.min())}, {"max", list(box.max())}}},
          {"diagonal", box.diagonal().norm()},
          {"area", area(mesh)},
          {"edge_length", {{"min", lengths.min}, {"mean", lengths.mean}, {"max", lengths.max}}},
          {"uvs", mesh.has_uvs()},
          {"groups", groups}};
}

std::string table(const Json& description) {
  std::string text;
  for (const auto& [key, value] : description.items()) text += fmt::format("{:<16} {}\n", key, value.dump());
  return text;
}

}  // namespace

ExitCode info(const std::filesystem::path& path, const CommonOptions& options) {
  ShotWarnings warnings;
  const TriangleMesh mesh = read_obj(path, {.keep_uvs = true, .warnings = &warnings});
  const Topology topology = build_topology(mesh.triangles, mesh.vertex_count());
  const auto defect = find_mesh_defect(mesh, topology);
  if (const auto doubt = doubt_about_size(bounding_box_diagonal(mesh.positions)))
    warnings.push_back(fmt::format("{}: {}", path.string(), *doubt));
  log_warnings(warnings);

  Json description = describe(mesh, topology);
  description["defect"] = defect ? Json(*defect) : Json();
  description["warnings"] = warnings;
  print_text(options.json ? description.dump(2) + "\n" : table(description));
  return defect ? ExitCode::kBadInput : ExitCode::kDone;
}

}  // namespace keydrape
