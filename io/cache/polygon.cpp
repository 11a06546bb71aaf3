#include "io/cache/polygon.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cstdint>
#include <utility>

namespace keydrape {
namespace {

const Triangle& triangle(const TriangleMesh& mesh, int t) {
  return mesh.triangles[static_cast<std::size_t>(t)];
}

// Its vertices, ascending.
std::vector<int> corners(const PolygonFan& face, const TriangleMesh& mesh) {
  std::vector<int> vertices;
  for (int k = 0; k < face.triangle_count; ++k) {
    const Triangle& t = triangle(mesh, face.first_triangle + k);
    vertices.insert(vertices.end(), t.begin(), t.end());
  }
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

// The same for the same corners in any order (the sum of their hashes; splitmix64, Steele et al. 2014).
std::uint64_t hash(const PolygonFan& face, const TriangleMesh& mesh) {
  const auto mix = [](int vertex) {
    std::uint64_t z = (static_cast<std::uint64_t>(vertex) + 1) * 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  };
  // A triangle of a fan has one corner more than the ones before it: behind the one that they share, or, of
  // a face that is turned, before it.
  const Triangle& first = triangle(mesh, face.first_triangle);
  std::uint64_t sum = mix(first[0]) + mix(first[1]) + mix(first[2]);
  for (int k = 1; k < face.triangle_count; ++k) {
    const Triangle &before = triangle(mesh, face.first_triangle + k - 1),
                   &t = triangle(mesh, face.first_triangle + k);
    sum += mix(t[1] == before[2] ? t[2] : t[1]);
  }
  return sum;
}

}  // namespace

std::optional<std::size_t> find_folded_face(const std::vector<PolygonFan>& faces, const TriangleMesh& mesh) {
  const auto normal = [&](int t) -> Vec3 {
    const auto& [a, b, c] = triangle(mesh, t);
    const Vec3& origin = mesh.positions[static_cast<std::size_t>(a)];
    return (mesh.positions[static_cast<std::size_t>(b)] - origin)
        .cross(mesh.positions[static_cast<std::size_t>(c)] - origin);
  };
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const int end = faces[i].first_triangle + faces[i].triangle_count;
    for (int t = faces[i].first_triangle; t + 1 < end; ++t)
      if (normal(t).dot(normal(t + 1)) < 0.0) return i;
  }
  return std::nullopt;
}

std::optional<RepeatedFace> find_repeated_face(const std::vector<PolygonFan>& faces,
                                               const TriangleMesh& mesh) {
  std::vector<std::pair<std::uint64_t, std::size_t>> sorted;  // by hash, then in the file's order
  for (std::size_t i = 0; i < faces.size(); ++i) sorted.emplace_back(hash(faces[i], mesh), i);
  std::sort(sorted.begin(), sorted.end());
  std::optional<RepeatedFace> found;
  int count = 0;
  for (std::size_t k = 1; k < sorted.size(); ++k) {
    if (sorted[k].first != sorted[k - 1].first) continue;
    const std::size_t face = sorted[k].second, before = sorted[k - 1].second;
    if (corners(faces[face], mesh) != corners(faces[before], mesh)) continue;
    ++count;
    if (!found || face < found->face) found = RepeatedFace{face, before, 0};
  }
  if (found) found->count = count;
  return found;
}

std::vector<std::string> doubts_of_faces(const std::vector<PolygonFan>& faces, const TriangleMesh& mesh) {
  std::vector<std::string> doubts;
  if (const auto folded = find_folded_face(faces, mesh))
    doubts.push_back(fmt::format("face {} (counted from 0) {}", *folded, kFoldedFace));
  if (const auto repeated = find_repeated_face(faces, mesh))
    doubts.push_back(
        fmt::format("face {} (counted from 0) is given twice ({} such in all): face {} has the same corners",
                    repeated->face, repeated->count, repeated->first));
  return doubts;
}

}  // namespace keydrape
