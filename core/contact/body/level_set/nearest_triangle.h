#pragma once

#include <cstdint>
#include <vector>

#include "core/contact/body/level_set/mesh_distances.h"
#include "core/mesh/nearest_on_triangle.h"

namespace keydrape {

// Finds the triangle nearest to a point close to the mesh: among those that mesh_distances noted at the eight
// voxels around it.
class NearestTriangle {
 public:
  NearestTriangle() = default;
  // Requires nearest_triangle of the distances.
  explicit NearestTriangle(const MeshDistances& distances);

  // `positions`, `triangles`: of the mesh that the distances were made of. Nothing (triangle = -1) for points
  // beyond the grid's band.
  SurfacePoint find(const Vec3& p, const std::vector<Vec3>& positions,
                    const std::vector<Triangle>& triangles) const;

  std::size_t memory_bytes() const { return frame_.memory_bytes() + labels_.size() * sizeof(labels_[0]); }

 private:
  BrickGrid frame_;  // the table alone
  std::vector<std::int32_t> labels_;
};

}  // namespace keydrape
