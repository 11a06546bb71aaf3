#include "io/cache/vertex_normals.h"

#include <Eigen/Geometry>

namespace keydrape {

VecX vertex_normals(const std::vector<Triangle>& triangles, const VecX& positions) {
  VecX normals = VecX::Zero(positions.size());
  for (const Triangle& t : triangles) {
    const Vec3 a = positions.segment<3>(3 * t[0]);
    const Vec3 normal = (positions.segment<3>(3 * t[1]) - a).cross(positions.segment<3>(3 * t[2]) - a);
    for (const int vertex : t) normals.segment<3>(3 * vertex) += normal;
  }
  for (Eigen::Index i = 0; i < normals.size(); i += 3) {
    const double length = normals.segment<3>(i).norm();
    normals.segment<3>(i) = length > 0.0 ? Vec3(normals.segment<3>(i) / length) : Vec3(0, 1, 0);
  }
  return normals;
}

std::optional<std::vector<Vec2>> uvs_of_vertices(const TriangleMesh& mesh) {
  if (!mesh.has_uvs()) return {};
  std::vector<Vec2> uvs(mesh.positions.size(), Vec2::Zero());
  std::vector<bool> known(mesh.positions.size(), false);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t c = 0; c < 3; ++c) {
      const auto vertex = static_cast<std::size_t>(mesh.triangles[t][c]);
      const Vec2& uv = mesh.uvs[static_cast<std::size_t>(mesh.uv_triangles[t][c])];
      if (known[vertex] && uvs[vertex] != uv) return {};
      uvs[vertex] = uv;
      known[vertex] = true;
    }
  }
  return uvs;
}

}  // namespace keydrape
