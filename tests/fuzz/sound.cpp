#include "tests/fuzz/sound.h"

#include <algorithm>

#include "tests/fuzz/input_folder.h"

namespace keydrape::fuzz {
namespace {

template <class Indexes>
bool are_below(const Indexes& all, std::size_t count) {
  return std::all_of(all.begin(), all.end(), [&](const auto& each) {
    return std::all_of(each.begin(), each.end(),
                       [&](int i) { return i >= 0 && static_cast<std::size_t>(i) < count; });
  });
}

template <class Points>
bool are_finite(const Points& points) {
  return std::all_of(points.begin(), points.end(), [](const auto& point) { return point.allFinite(); });
}

}  // namespace

void expect_sound(const TriangleMesh& mesh) {
  const std::size_t count = mesh.positions.size();
  expect(are_finite(mesh.positions) && are_finite(mesh.uvs), "a mesh with a number that is not finite");
  expect(are_below(mesh.triangles, count) && are_below(mesh.lines, count), "a mesh without this vertex");
  expect(are_below(mesh.uv_triangles, mesh.uvs.size()), "a mesh without this texture coordinate");
  expect(mesh.uv_triangles.empty() || mesh.uv_triangles.size() == mesh.triangles.size(),
         "a mesh with texture coordinates for some triangles");
  for (const auto& [name, vertices] : mesh.groups) {
    const bool ascends = std::is_sorted(vertices.begin(), vertices.end(), std::less_equal<>());
    expect(!name.empty() && ascends, "a group without a name, or out of order");
    expect(vertices.empty() || (vertices.front() >= 0 && vertices.back() < mesh.vertex_count()),
           "a group without this vertex");
  }
}

void expect_sound(const MeshCache& cache) {
  const CacheHeader& header = cache.header;
  expect_sound(header.mesh);
  expect(header.fps > 0.0 && std::isfinite(header.fps), "a cache without a frame rate");
  expect(header.frame_count >= 1 && cache.frames.size() == static_cast<std::size_t>(header.frame_count),
         "a cache with other frames than its header");
  for (const CacheFrame& frame : cache.frames) {
    expect(frame.positions.size() == 3 * Eigen::Index{header.vertex_count()} && frame.positions.allFinite(),
           "a frame with other positions than its header");
    expect(frame.fields.size() == header.fields.size(), "a frame with other fields than its header");
    for (std::size_t k = 0; k < frame.fields.size(); ++k)
      expect(frame.fields[k].size() == header.value_count(header.fields[k]) && frame.fields[k].allFinite(),
             "a field with other values than its header");
  }
}

}  // namespace keydrape::fuzz
