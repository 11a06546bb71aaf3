#include "io/shot/input/mesh.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/mesh/topology.h"
#include "io/file/short_number.h"
#include "io/shot/input/cache.h"

namespace keydrape {
namespace {

// From a doll's handkerchief to a stage curtain [m].
constexpr double kSmallestCloth = 0.005, kLargestCloth = 20.0;
// What does not lie flat is a garment rather than a sail or a curtain. A dress with its train is no longer
// than this [m]; flat is what is thinner than this share of its length.
constexpr double kLargestGarment = 5.0, kFlatShare = 0.1;

// Beyond this, double precision does not tell the vertices of a cloth apart [m].
constexpr double kFarthest = 1e12;

void check_near_origin(const scene::FilePath& file, std::string_view role, const TriangleMesh& mesh) {
  for (int i = 0; i < mesh.vertex_count(); ++i) {
    const double far = mesh.positions[i].lpNorm<Eigen::Infinity>();
    if (far <= kFarthest) continue;
    throw InputError(
        fmt::format("{}: {}: {}: vertex {}, counted from 0, is {} m from the origin; expected at most "
                    "{:g}; move it back, or check the units of the export and meters_per_unit in [shot]",
                    file.source.where(), role, file.value.string(), i, short_number(far), kFarthest));
  }
}

// Times as long as high, from which on a triangle is named: 15 of 17 meshes from elsewhere stay below 15.
constexpr double kSliver = 20.0;
constexpr std::size_t kNamedSlivers = 3;

// Longest side over the height above it.
double aspect(const TriangleMesh& mesh, const Triangle& t) {
  const Vec3 e = mesh.positions[t[1]] - mesh.positions[t[0]], f = mesh.positions[t[2]] - mesh.positions[t[0]];
  const double longest = std::max({e.squaredNorm(), f.squaredNorm(), (f - e).squaredNorm()});
  return longest / e.cross(f).norm();
}

// Along its own axes, those of the positions' covariance.
bool is_flat(const TriangleMesh& mesh) {
  const Eigen::Map<const Eigen::Matrix3Xd> x(mesh.positions.front().data(), 3, mesh.vertex_count());
  const Eigen::Matrix3Xd around = x.colwise() - x.rowwise().mean();
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(around * around.transpose());
  const Eigen::Matrix3Xd along = axes.eigenvectors().transpose() * around;
  const Vec3 extents = along.rowwise().maxCoeff() - along.rowwise().minCoeff();
  return extents.minCoeff() < kFlatShare * extents.maxCoeff();
}

std::string text(const Triangle& t) { return fmt::format("({} {} {})", t[0], t[1], t[2]); }

// How the triangles of a pose differ from those of the rest mesh, or nothing.
std::optional<std::string> topology_difference(const TriangleMesh& pose, const TriangleMesh& rest) {
  const int shared = std::min(pose.triangle_count(), rest.triangle_count());
  int t = 0;
  while (t < shared && pose.triangles[t] == rest.triangles[t]) ++t;
  const std::string counts =
      fmt::format("{} triangles, the rest mesh {}", pose.triangle_count(), rest.triangle_count());
  if (t < shared) {
    return fmt::format("{}; the first that differs is triangle {}, {} instead of {}, counted from 0", counts,
                       t, text(pose.triangles[t]), text(rest.triangles[t]));
  }
  if (pose.triangle_count() == rest.triangle_count()) return {};
  return fmt::format("{}; the first {} agree", counts, shared);
}

}  // namespace

TriangleMesh read_rest_mesh(const Scene& scene, ShotWarnings& warnings) {
  const scene::FilePath& file = scene.cloth.rest;
  TriangleMesh mesh =
      read_shot_cache(scene, file, {.role = "[cloth] rest", .keep_uvs = true}, warnings).header.mesh;
  check_near_origin(file, "[cloth] rest", mesh);
  const Topology topology = build_topology(mesh.triangles, mesh.vertex_count());
  if (const auto defect = find_mesh_defect(mesh, topology)) {
    throw InputError(
        fmt::format("{}: [cloth] rest: {}: {}", file.source.where(), file.value.string(), *defect));
  }
  // Without a scene file there is no [shot], and the command line says the unit.
  const bool has_file = !scene.shot.source.file.empty();
  const std::string_view remedy = has_file ? "set meters_per_unit in [shot]" : "give --meters-per-unit";
  if (const auto doubt = doubt_about_size(mesh, {.remedy = remedy})) {
    const int line = scene.shot.source.line;
    warnings.push_back(fmt::format("{}: [cloth] rest: {}{}", file.source.where(), *doubt,
                                   line > 0 ? fmt::format("; [shot] is in line {}", line) : ""));
  }
  if (const auto doubt = doubt_about_slivers(mesh))
    warnings.push_back(fmt::format("{}: [cloth] rest: {}", file.source.where(), *doubt));
  return mesh;
}

void check_same_mesh(const Scene& scene, const scene::FilePath& file, std::string_view role,
                     const TriangleMesh& pose, const TriangleMesh& rest) {
  const auto refuse = [&](const std::string& found) {
    throw InputError(
        fmt::format("{}: {}: {} has {}; expected the rest mesh {} in another pose; export both from one "
                    "mesh, without modifiers that add, merge or reorder vertices",
                    file.source.where(), role, file.value.string(), found, scene.cloth.rest.value.string()));
  };
  if (pose.vertex_count() != rest.vertex_count())
    refuse(fmt::format("{} vertices, the rest mesh {}", pose.vertex_count(), rest.vertex_count()));
  if (pose.triangle_count() > 0)
    if (const auto difference = topology_difference(pose, rest)) refuse(*difference);
}

VecX read_pose(const Scene& scene, const scene::FilePath& file, std::string_view role,
               const TriangleMesh& rest, ShotWarnings& warnings) {
  const TriangleMesh pose = read_shot_cache(scene, file, {.role = role}, warnings).header.mesh;
  check_same_mesh(scene, file, role, pose, rest);
  check_near_origin(file, role, pose);
  return stacked(pose.positions);
}

std::optional<std::string> doubt_about_size(const TriangleMesh& mesh, const SizeDoubt& of) {
  const double size = of.meters_per_unit * bounding_box_diagonal(mesh.positions);
  if (size < kSmallestCloth || size > kLargestCloth)
    return fmt::format(
        "the {} measures {} m across,{} implausibly {} for metres; {} (0.01 for a mesh in centimetres, 0.001 "
        "in millimetres)",
        of.is_cloth ? "cloth" : "mesh", short_number(size), of.is_cloth ? "" : " as cloth",
        size > kLargestCloth ? "large" : "small", of.remedy);
  if (!of.is_cloth || size <= kLargestGarment || is_flat(mesh)) return {};
  return fmt::format(
      "the cloth measures {} m across, as a garment implausibly large for metres; if it is one, {} (a number "
      "that is a tenth of the one now makes it {} m)",
      short_number(size), of.remedy, short_number(0.1 * size));
}

std::optional<std::string> doubt_about_slivers(const TriangleMesh& mesh) {
  std::vector<std::pair<double, int>> slivers;  // by aspect, falling
  for (int t = 0; t < mesh.triangle_count(); ++t)
    if (const double a = aspect(mesh, mesh.triangles[t]); a >= kSliver) slivers.emplace_back(-a, t);
  if (slivers.empty()) return {};
  std::sort(slivers.begin(), slivers.end());
  std::string worst;
  for (std::size_t k = 0; k < std::min(kNamedSlivers, slivers.size()); ++k) {
    const auto [a, t] = slivers[k];
    worst += fmt::format("{}triangle {} of vertices {}, {:.0f} times", k == 0 ? "" : "; ", t,
                         text(mesh.triangles[t]), -a);
  }
  return fmt::format(
      "{} of {} triangles at least {:g} times as long as high (worst: {}; counted from 0): slivers of cloth "
      "collapse easily and then bend for nothing; merge vertices that are close together, or remesh",
      slivers.size(), mesh.triangle_count(), kSliver, worst);
}

}  // namespace keydrape
