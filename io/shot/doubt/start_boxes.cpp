#include "io/shot/doubt/start_boxes.h"

namespace keydrape {

Eigen::AlignedBox3d box_of(const std::vector<int>& vertices, const VecX& x) {
  Eigen::AlignedBox3d box;
  for (const int v : vertices) box.extend(Vec3(x.segment<3>(3 * v)));
  return box;
}

Eigen::AlignedBox3d box_of(const VecX& x) {
  Eigen::AlignedBox3d box;
  for (Eigen::Index i = 0; i < x.size(); i += 3) box.extend(Vec3(x.segment<3>(i)));
  return box;
}

std::vector<Eigen::AlignedBox3d> body_boxes(const ClothDescription& cloth) {
  std::vector<Eigen::AlignedBox3d> boxes;
  for (const VolumeBody& body : cloth.bodies) {
    const BoundingBox box = body.collider->at(0.0).bounds();
    if (box.low.allFinite() && box.high.allFinite()) boxes.emplace_back(box.low, box.high);
  }
  for (const SurfaceBody& body : cloth.surfaces) boxes.push_back(box_of(body.mesh->at(0.0)));
  return boxes;
}

}  // namespace keydrape
