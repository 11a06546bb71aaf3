#include "core/energy/calibration/flat_patches.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace keydrape {

namespace {

constexpr int kPatchRings = 16;       // radius of a patch, in edges
constexpr double kMaxMismatch = 0.1;  // of directions that reach a vertex by two ways [rad]

// Edges from the nearest of the vertices with start(i); fans.size() where there is no way.
template <class Start>
std::vector<int> rings_from(const std::vector<VertexFan>& fans, const Start& start) {
  const int n = static_cast<int>(fans.size());
  std::vector<int> rings(n, n), queue;
  for (int i = 0; i < n; ++i)
    if (start(i)) {
      rings[i] = 0;
      queue.push_back(i);
    }
  for (size_t q = 0; q < queue.size(); ++q)
    for (const auto& [j, direction] : fans[queue[q]].spokes)
      if (rings[j] == n) {
        rings[j] = rings[queue[q]] + 1;
        queue.push_back(j);
      }
  return rings;
}

// The direction of the first spoke of j in the frame in which that of i has the direction turn_i: both agree
// about the edge between them.
double carried(const std::vector<VertexFan>& fans, int i, double turn_i, int j, double direction_of_j) {
  return turn_i + direction_of_j + std::numbers::pi - fans[j].direction(i);
}

}  // namespace

FlatPatches cut_into_flat_patches(const std::vector<VertexFan>& fans) {
  const int n = static_cast<int>(fans.size());
  FlatPatches patches{std::vector<int>(n, -1), std::vector<double>(n, 0.0), {}};
  const std::vector<int> from_boundary = rings_from(fans, [&](int i) { return !fans[i].closed; });
  std::vector<int> deepest_first(n);
  std::iota(deepest_first.begin(), deepest_first.end(), 0);
  std::stable_sort(deepest_first.begin(), deepest_first.end(),
                   [&](int i, int j) { return from_boundary[i] > from_boundary[j]; });
  for (int center : deepest_first) {
    if (patches.patch[center] >= 0 || !fans[center].closed) continue;
    std::vector<int> queue{center};
    patches.patch[center] = center;
    size_t ring_begin = 0;
    for (int ring = 0; ring < kPatchRings; ++ring) {
      const size_t ring_end = queue.size();
      for (size_t q = ring_begin; q < ring_end; ++q) {
        const int i = queue[q];
        if (!fans[i].closed) continue;
        for (const auto& [j, direction] : fans[i].spokes) {
          if (patches.patch[j] >= 0) continue;
          patches.patch[j] = center;
          patches.turn[j] = carried(fans, i, patches.turn[i], j, direction);
          queue.push_back(j);
        }
      }
      ring_begin = ring_end;
    }
  }
  const auto is_cut = [&](int i) {
    if (!fans[i].closed) return true;
    return std::any_of(fans[i].spokes.begin(), fans[i].spokes.end(), [&](const VertexFan::Spoke& spoke) {
      if (patches.patch[spoke.vertex] != patches.patch[i]) return true;
      const double turn = carried(fans, i, patches.turn[i], spoke.vertex, spoke.direction);
      return std::abs(std::remainder(turn - patches.turn[spoke.vertex], 2 * std::numbers::pi)) > kMaxMismatch;
    });
  };
  patches.depth = rings_from(fans, is_cut);
  // A closed surface that is flat all over is cut at the center of its patch.
  const std::vector<int> depth = patches.depth;
  patches.depth =
      rings_from(fans, [&](int i) { return depth[i] == 0 || (depth[i] == n && patches.patch[i] == i); });
  return patches;
}

}  // namespace keydrape
