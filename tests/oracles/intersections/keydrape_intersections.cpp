// Counts the pairs of triangles of a cloth that intersect or touch, frame by frame, by exact predicates: a
// judge that shares no code with the contact that it judges.
//
//   keydrape_intersections MESH.obj POSITIONS.npy
//
// Exits with 1 if there are any, 2 on bad input.

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "io/formats/npy.h"
#include "io/formats/obj.h"

namespace keydrape {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Surface = CGAL::Surface_mesh<Kernel::Point_3>;

Surface surface_of(const TriangleMesh& mesh) {
  Surface surface;
  for (const Vec3& p : mesh.positions) surface.add_vertex({p.x(), p.y(), p.z()});
  for (const Triangle& t : mesh.triangles)
    if (surface.add_face(Surface::Vertex_index(t[0]), Surface::Vertex_index(t[1]),
                         Surface::Vertex_index(t[2])) == Surface::null_face())
      throw InputError(
          fmt::format("triangle ({}, {}, {}): the mesh is no oriented manifold there", t[0], t[1], t[2]));
  return surface;
}

int judge(const char* mesh_path, const char* positions_path) {
  const TriangleMesh mesh = read_obj(mesh_path);
  const NpyArray positions = read_npy(positions_path);
  const auto n = static_cast<size_t>(mesh.vertex_count());
  if (positions.shape.size() != 3 || positions.shape[1] != static_cast<std::int64_t>(n) ||
      positions.shape[2] != 3)
    throw InputError(fmt::format("{}: expected the shape (frames, {}, 3)", positions_path, n));
  Surface surface = surface_of(mesh);
  size_t total = 0;
  for (std::int64_t f = 0; f < positions.shape[0]; ++f) {
    for (size_t i = 0; i < n; ++i) {
      const double* p = positions.values.data() + 3 * (static_cast<size_t>(f) * n + i);
      surface.point(Surface::Vertex_index(static_cast<Surface::size_type>(i))) = {p[0], p[1], p[2]};
    }
    std::vector<std::pair<Surface::Face_index, Surface::Face_index>> pairs;
    CGAL::Polygon_mesh_processing::self_intersections(surface, std::back_inserter(pairs));
    if (!pairs.empty())
      fmt::print("frame {}: {} pairs, the first of triangles {} and {}\n", f, pairs.size(),
                 pairs[0].first.idx(), pairs[0].second.idx());
    total += pairs.size();
  }
  fmt::print("{} frames, {} triangles: {} intersecting pairs\n", positions.shape[0], mesh.triangles.size(),
             total);
  return total == 0 ? 0 : 1;
}

}  // namespace
}  // namespace keydrape

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: keydrape_intersections MESH.obj POSITIONS.npy\n");
    return 2;
  }
  try {
    return keydrape::judge(argv[1], argv[2]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
