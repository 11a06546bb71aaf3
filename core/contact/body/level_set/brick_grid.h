#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/types.h"

namespace keydrape {

using Index3 = std::array<int, 3>;  // of a voxel or a brick

// Distances at the nodes of a regular grid, stored near the surface alone: in bricks of 8^3 voxels, laid out
// as the leaf nodes of OpenVDB (z runs fastest). A brick that is not stored lies beyond the band, whole
// inside or whole outside of the body. Voxel (i, j, k), counted from the corner of the table, stands at
// origin + voxel * (i, j, k).
struct BrickGrid {
  static constexpr int kSide = 8;
  static constexpr int kVoxels = kSide * kSide * kSide;
  // In the table, for bricks that are not stored.
  static constexpr std::int32_t kOutside = -1;
  static constexpr std::int32_t kInside = -2;

  Vec3 origin = Vec3::Zero();       // of voxel (0, 0, 0) [m]
  double voxel = 0;                 // spacing of the nodes [m], > 0
  double half_width = 0;            // every voxel of |value| < half_width is in a stored brick [m]
  Index3 size = {0, 0, 0};          // of the table, in bricks; its outermost layer is stored nowhere
  std::vector<std::int32_t> table;  // size[0] size[1] size[2], z fastest: number of the brick, or as above
  std::vector<float> values;        // [m], kVoxels a stored brick

  int brick_count() const { return static_cast<int>(values.size() / kVoxels); }
  std::size_t table_index(const Index3& brick) const {
    return (static_cast<std::size_t>(brick[0]) * size[1] + brick[1]) * size[2] + brick[2];
  }
  bool holds_brick(const Index3& brick) const {
    for (int a = 0; a < 3; ++a)
      if (brick[a] < 0 || brick[a] >= size[a]) return false;
    return true;
  }
  // Table entry of any brick; what lies off the table is outside of the body.
  std::int32_t entry(const Index3& brick) const {
    return holds_brick(brick) ? table[table_index(brick)] : kOutside;
  }
  static constexpr int voxel_index(int x, int y, int z) { return (x * kSide + y) * kSide + z; }
  // Voxel i of the brick at `place`.
  static constexpr Index3 voxel_at(const Index3& place, int i) {
    return {kSide * place[0] + i / (kSide * kSide), kSide * place[1] + i / kSide % kSide,
            kSide * place[2] + i % kSide};
  }
  // Where the value of a voxel stands in `values`; -1 where it is not stored.
  std::ptrdiff_t slot(const Index3& v) const {
    const std::int32_t e = entry({v[0] >> 3, v[1] >> 3, v[2] >> 3});
    if (e < 0) return -1;
    return static_cast<std::ptrdiff_t>(e) * kVoxels + voxel_index(v[0] & 7, v[1] & 7, v[2] & 7);
  }
  // The value at a voxel, or null where it is not stored.
  const float* find(const Index3& v) const {
    const std::ptrdiff_t at = slot(v);
    return at < 0 ? nullptr : &values[at];
  }
  Vec3 position(const Index3& v) const { return origin + voxel * Vec3(v[0], v[1], v[2]); }

  // The place in the table of each stored brick (brick_count()).
  std::vector<Index3> brick_places() const;
  std::size_t memory_bytes() const;
};

}  // namespace keydrape
