#include "core/mesh/mesh.h"

#include <Eigen/Geometry>

namespace keydrape {

VecX stacked(const std::vector<Vec3>& positions) {
  VecX x(3 * positions.size());
  for (size_t i = 0; i < positions.size(); ++i) x.segment<3>(3 * i) = positions[i];
  return x;
}

VecX concatenated(const std::vector<VecX>& rows) {
  const Eigen::Index size = rows.front().size();
  VecX values(static_cast<Eigen::Index>(rows.size()) * size);
  for (size_t k = 0; k < rows.size(); ++k)
    values.segment(static_cast<Eigen::Index>(k) * size, size) = rows[k];
  return values;
}

double mean_side(const TriangleMesh& mesh) {
  double length = 0.0;
  for (const Triangle& t : mesh.triangles)
    for (int c = 0; c < 3; ++c) length += (mesh.positions[t[(c + 1) % 3]] - mesh.positions[t[c]]).norm();
  return length / (3.0 * mesh.triangle_count());
}

double bounding_box_diagonal(const std::vector<Vec3>& positions) {
  Eigen::AlignedBox3d box;
  for (const Vec3& p : positions) box.extend(p);
  return box.isEmpty() ? 0.0 : box.diagonal().norm();
}

}  // namespace keydrape
