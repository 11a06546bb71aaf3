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

double between(double from, double to) { return std::remainder(to - from, 2 * std::numbers::pi); }

// Over which a vertex is reached: what its turn would be, and the area of the vertex before.
struct Way {
  double turn, area;
};

// The mean of those that agree with the way over the vertex with most area: behind the tip of a cone not
// all of them do.
double turn_of(const std::vector<Way>& ways) {
  const double turn = std::max_element(ways.begin(), ways.end(), [](const Way& a, const Way& b) {
                        return a.area < b.area;
                      })->turn;
  double sum = 0.0;
  int count = 0;
  for (const Way& way : ways) {
    const double off = between(turn, way.turn);
    if (std::abs(off) > kMaxMismatch) continue;
    sum += off;
    ++count;
  }
  return turn + sum / count;
}

}  // namespace

FlatPatches cut_into_flat_patches(const std::vector<VertexFan>& fans) {
  const int n = static_cast<int>(fans.size());
  FlatPatches patches{std::vector<int>(n, -1), std::vector<double>(n, 0.0), {}};
  const std::vector<int> from_boundary = rings_from(fans, [&](int i) { return !fans[i].closed; });
  // Of equals the one with more area: how vertices are numbered has no say.
  std::vector<int> deepest_first(n);
  std::iota(deepest_first.begin(), deepest_first.end(), 0);
  std::stable_sort(deepest_first.begin(), deepest_first.end(), [&](int i, int j) {
    return from_boundary[i] != from_boundary[j] ? from_boundary[i] > from_boundary[j]
                                                : fans[i].area > fans[j].area;
  });
  std::vector<std::vector<Way>> ways(n);
  for (int center : deepest_first) {
    if (patches.patch[center] >= 0 || !fans[center].closed) continue;
    patches.patch[center] = center;
    std::vector<int> ring{center};
    for (int k = 0; k < kPatchRings; ++k) {
      std::vector<int> next;
      for (const int i : ring) {
        if (!fans[i].closed) continue;
        for (const auto& [j, direction] : fans[i].spokes) {
          if (patches.patch[j] >= 0) continue;
          if (ways[j].empty()) next.push_back(j);
          ways[j].push_back({carried(fans, i, patches.turn[i], j, direction), fans[i].area});
        }
      }
      for (const int j : next) {
        patches.patch[j] = center;
        patches.turn[j] = turn_of(ways[j]);
        ways[j] = {};
      }
      ring = std::move(next);
    }
  }
  const auto is_cut = [&](int i) {
    if (!fans[i].closed) return true;
    return std::any_of(fans[i].spokes.begin(), fans[i].spokes.end(), [&](const VertexFan::Spoke& spoke) {
      if (patches.patch[spoke.vertex] != patches.patch[i]) return true;
      const double turn = carried(fans, i, patches.turn[i], spoke.vertex, spoke.direction);
      return std::abs(between(patches.turn[spoke.vertex], turn)) > kMaxMismatch;
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
