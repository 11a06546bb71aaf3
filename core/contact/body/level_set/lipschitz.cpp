#include "core/contact/body/level_set/lipschitz.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace keydrape {
namespace {

// Voxels along one side of all supports that begin in a brick.
constexpr int kBlockSide = BrickGrid::kSide + 3;

// Coefficients of a brick and of the three layers behind it; NaN where they are not stored.
using Block = std::array<float, kBlockSide * kBlockSide * kBlockSide>;

Block gather(const BrickGrid& bricks, const Index3& place) {
  constexpr int side = BrickGrid::kSide;
  const Index3 first{side * place[0], side * place[1], side * place[2]};
  Block block;
  std::size_t at = 0;
  for (int x = 0; x < kBlockSide; ++x)
    for (int y = 0; y < kBlockSide; ++y)
      for (int z = 0; z < kBlockSide; ++z) {
        const float* c = bricks.find({first[0] + x, first[1] + y, first[2] + z});
        block[at++] = c ? *c : NAN;
      }
  return block;
}

// Greatest value of each window of `window` neighbours along the axis of the given stride, in
// place. NaN spreads.
void window_max(Block& block, int stride, int window) {
  for (std::size_t i = 0; i < block.size(); ++i)
    for (int k = 1; k < window; ++k) {
      const std::size_t j = std::min(i + static_cast<std::size_t>(k * stride), block.size() - 1);
      if (!(block[j] <= block[i])) block[i] = std::isnan(block[i]) ? block[i] : block[j];
    }
}

double brick_bound(const BrickGrid& bricks, const Index3& place, double band) {
  constexpr int kStrides[] = {kBlockSide * kBlockSide, kBlockSide, 1};
  const Block c = gather(bricks, place);
  Block highest = c, minus_lowest = c;
  for (float& value : minus_lowest) value = -value;
  for (const int stride : kStrides) {
    window_max(highest, stride, 4);
    window_max(minus_lowest, stride, 4);
  }
  std::array<Block, 3> steepest;
  for (int axis = 0; axis < 3; ++axis) {
    Block& d = steepest[axis];
    for (std::size_t i = 0; i < d.size(); ++i) {
      const std::size_t j = std::min(i + static_cast<std::size_t>(kStrides[axis]), d.size() - 1);
      d[i] = std::abs(c[j] - c[i]);
    }
    for (int b = 0; b < 3; ++b) window_max(d, kStrides[b], b == axis ? 3 : 4);
  }
  double bound = 0;
  for (int x = 0; x < BrickGrid::kSide; ++x)
    for (int y = 0; y < BrickGrid::kSide; ++y)
      for (int z = 0; z < BrickGrid::kSide; ++z) {
        const int i = (x * kBlockSide + y) * kBlockSide + z;
        if (-minus_lowest[i] >= band || highest[i] <= -band) continue;
        const double squared = double(steepest[0][i]) * steepest[0][i] +
                               double(steepest[1][i]) * steepest[1][i] +
                               double(steepest[2][i]) * steepest[2][i];
        if (squared > bound) bound = squared;  // false for NaN: the cell has no support
      }
  return bound;
}

}  // namespace

double lipschitz_bound(const BrickGrid& coefficients, double band) {
  const std::vector<Index3> places = coefficients.brick_places();
  const double squared = tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, places.size()), 0.0,
      [&](const tbb::blocked_range<std::size_t>& range, double bound) {
        for (std::size_t i = range.begin(); i < range.end(); ++i)
          bound = std::max(bound, brick_bound(coefficients, places[i], band));
        return bound;
      },
      [](double a, double b) { return std::max(a, b); });
  return std::sqrt(squared) / coefficients.voxel;
}

}  // namespace keydrape
