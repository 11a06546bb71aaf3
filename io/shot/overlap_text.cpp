#include "io/shot/overlap_text.h"

#include <fmt/format.h>

#include "io/file/counted.h"
#include "io/file/short_number.h"

namespace keydrape {

std::string too_near_text(const BodyOverlap& overlap) {
  if (overlap.least < 0.0)
    return fmt::format("deeper inside of this body than {} m", short_number(-overlap.least));
  return fmt::format("inside of this body or nearer to it than {} m", short_number(overlap.least));
}

std::string nearest_text(const ClosePairs& close, int vertex_count) {
  const FeaturePair& pair = close.nearest.value();
  std::array<int, 4> v = pair.vertices;
  const auto owner = [&](int& first, int* end) {
    if (first < vertex_count) return "";
    for (int* i = &first; i != end; ++i) *i -= vertex_count;
    return "the body's ";
  };
  int* const end = v.data() + v.size();
  if (pair.is_vertex_face) {
    const char *of_vertex = owner(v[0], &v[1]), *of_face = owner(v[1], end);
    return fmt::format("nearest {}vertex {} and {}triangle ({}, {}, {}), counted from 0, {} m apart",
                       of_vertex, v[0], of_face, v[1], v[2], v[3], short_number(pair.distance));
  }
  const char *of_first = owner(v[0], &v[2]), *of_second = owner(v[2], end);
  return fmt::format("nearest {}edge ({}, {}) and {}edge ({}, {}), counted from 0, {} m apart", of_first,
                     v[0], v[1], of_second, v[2], v[3], short_number(pair.distance));
}

// What to do about triangles that are small for the thickness. Where hardly a vertex of the mesh is large
// enough, and all of it is smaller than a hand, it is in another unit.
std::string small_text(const ClosePairs& close, const TriangleMesh& mesh) {
  constexpr double kHand = 0.1;  // [m]
  constexpr const char* kRemedy = "make thickness under [contact] smaller than that, or the triangles larger";
  const double size = bounding_box_diagonal(mesh.positions);
  if (close.small_count < mesh.vertex_count() || size > kHand) return kRemedy;
  return fmt::format(
      "is meters_per_unit under [shot] that of another mesh? It makes this one {} m large; if it is as "
      "small, {}",
      short_number(size), kRemedy);
}

std::string close_text(const ClosePairs& close, const ClothDescription& cloth, std::string_view repair,
                       std::string_view start, std::string_view springs) {
  const double thickness = surface_contact_law(cloth).barrier.thickness;
  const std::string nearest = nearest_text(close, cloth.mesh.vertex_count());
  if (close.seam_count > 0)
    return fmt::format(
        "the cloth meets itself in {} where its rest mesh does so as well, as on a seam that is not "
        "welded, {}; weld these vertices in the rest mesh, or part them by more than the thickness of "
        "{} m and join them by {}",
        counted(close.seam_count, "place"), nearest, short_number(thickness), springs);
  if (close.small_count > 0)
    return fmt::format(
        "features of the cloth are nearer than its thickness of {} m in {}, and as near in the "
        "rest mesh, whose triangles are too small there, {}; {}",
        short_number(thickness), counted(close.small_count, "place"), nearest, small_text(close, cloth.mesh));
  return fmt::format(
      "layers of the cloth are no farther apart than its thickness of {} m in {}, {}; pull them apart in "
      "{}, make thickness smaller{}",
      short_number(thickness), counted(close.count, "place"), nearest, start, repair);
}

}  // namespace keydrape
