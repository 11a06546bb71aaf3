#pragma once

#include <algorithm>
#include <limits>
#include <map>

#include "core/base/error.h"
#include "core/contact/body/level_set/brick_grid.h"

namespace keydrape {

// Bricks that a table may hold, stored or not: 1 GB of far field.
inline constexpr double kMaxTableBricks = 32e6;

// The bricks of an openvdb::FloatGrid, a template so that OpenVDB is included by the .cpp files that
// call it and by nothing else. Bricks are numbered in the order of their places. `voxel` [m] is the
// spacing, `zero` [m] the position of the grid's voxel (0, 0, 0); values are multiplied by `scale`.
// Requires at least one leaf node. Throws InputError where the leaf nodes lie so far apart that the
// table would exceed kMaxTableBricks.
template <class FloatGrid>
BrickGrid copy_bricks(const FloatGrid& grid, double voxel, const Vec3& zero, double scale) {
  BrickGrid bricks;
  bricks.voxel = voxel;
  bricks.half_width = static_cast<float>(scale * grid.background());

  std::map<Index3, const float*> leaves;  // ordered: numbers do not depend on the tree's insides
  Index3 low, high;
  low.fill(std::numeric_limits<int>::max());
  high.fill(std::numeric_limits<int>::min());
  for (auto leaf = grid.tree().cbeginLeaf(); leaf; ++leaf) {
    Index3 place;
    for (int a = 0; a < 3; ++a) {
      place[a] = leaf->origin()[a] >> 3;
      low[a] = std::min(low[a], place[a] - 1);
      high[a] = std::max(high[a], place[a] + 1);
    }
    leaves.emplace(place, leaf->buffer().data());
  }
  double table_size = 1;
  for (int a = 0; a < 3; ++a) {
    bricks.size[a] = high[a] - low[a] + 1;
    table_size *= bricks.size[a];
  }
  if (table_size > kMaxTableBricks)
    throw InputError(
        "the level set spans too many voxels; expected at most 16 thousand million; use larger voxels");
  bricks.origin = zero + voxel * BrickGrid::kSide * Vec3(low[0], low[1], low[2]);

  bricks.table.resize(static_cast<std::size_t>(bricks.size[0]) * bricks.size[1] * bricks.size[2]);
  const auto accessor = grid.getConstAccessor();
  auto corner = grid.tree().cbeginLeaf()->origin();
  std::size_t at = 0;
  for (int x = low[0]; x <= high[0]; ++x)
    for (int y = low[1]; y <= high[1]; ++y)
      for (int z = low[2]; z <= high[2]; ++z, ++at) {
        corner.reset(x << 3, y << 3, z << 3);
        bricks.table[at] = accessor.getValue(corner) < 0 ? BrickGrid::kInside : BrickGrid::kOutside;
      }
  bricks.values.reserve(leaves.size() * BrickGrid::kVoxels);
  for (const auto& [place, values] : leaves) {
    bricks.table[bricks.table_index({place[0] - low[0], place[1] - low[1], place[2] - low[2]})] =
        bricks.brick_count();
    for (int i = 0; i < BrickGrid::kVoxels; ++i)
      bricks.values.push_back(static_cast<float>(scale * values[i]));
  }
  return bricks;
}

}  // namespace keydrape
