#include "core/contact/body/level_set/exact_distances.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "core/contact/body/level_set/nearest_triangle.h"

namespace keydrape {
namespace {

// A label crosses one voxel a pass, and a stored brick has a voxel of the band: 64 is three bricks.
constexpr int kMaxPasses = 64;

constexpr Index3 kNeighbours[] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};

constexpr int kMaxWalk = 64;  // triangles on the way to the nearest one

// The triangles round each vertex.
class Fans {
 public:
  Fans(const std::vector<Triangle>& triangles, std::size_t vertex_count) : first_(vertex_count + 1) {
    for (const Triangle& t : triangles)
      for (int v : t) ++first_[v + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    members_.resize(first_.back());
    std::vector<int> next = first_;
    for (int t = 0; t < static_cast<int>(triangles.size()); ++t)
      for (int v : triangles[t]) members_[next[v]++] = t;
  }
  std::span<const std::int32_t> of(int vertex) const {
    return {&members_[first_[vertex]], static_cast<std::size_t>(first_[vertex + 1] - first_[vertex])};
  }

 private:
  std::vector<int> first_;
  std::vector<std::int32_t> members_;
};

struct Labels {
  std::vector<std::int32_t> triangle;
  std::vector<double> distance;         // to it, >= 0 [m]
  std::vector<unsigned char> is_fresh;  // changed in the pass before
};

}  // namespace

void make_exact(BrickGrid& grid, std::vector<std::int32_t>& nearest_triangle,
                const std::vector<Vec3>& positions, const std::vector<Triangle>& triangles) {
  const std::size_t n = grid.values.size();
  assert(nearest_triangle.size() == n);
  const std::vector<Index3> places = grid.brick_places();
  const auto voxel = [&](std::size_t slot) {
    return BrickGrid::voxel_at(places[slot / BrickGrid::kVoxels],
                               static_cast<int>(slot % BrickGrid::kVoxels));
  };
  const auto distance_to = [&](std::int32_t t, const Vec3& p) {
    const Triangle& v = triangles[t];
    return nearest_on_triangle(p, positions[v[0]], positions[v[1]], positions[v[2]]).distance;
  };

  Labels now{nearest_triangle, std::vector<double>(n, std::numeric_limits<double>::infinity()),
             std::vector<unsigned char>(n, 1)};
  tbb::parallel_for(std::size_t{0}, n, [&](std::size_t slot) {
    if (now.triangle[slot] >= 0)
      now.distance[slot] = distance_to(now.triangle[slot], grid.position(voxel(slot)));
  });
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    Labels next = now;
    std::atomic<bool> changed = false;
    tbb::parallel_for(std::size_t{0}, n, [&](std::size_t slot) {
      next.is_fresh[slot] = 0;
      const Index3 v = voxel(slot);
      for (const Index3& o : kNeighbours) {
        const std::ptrdiff_t other = grid.slot({v[0] + o[0], v[1] + o[1], v[2] + o[2]});
        if (other < 0 || !now.is_fresh[other]) continue;
        const std::int32_t t = now.triangle[other];
        if (t < 0 || t == next.triangle[slot]) continue;
        const double d = distance_to(t, grid.position(v));
        if (!(d < next.distance[slot])) continue;
        next.distance[slot] = d;
        next.triangle[slot] = t;
        next.is_fresh[slot] = 1;
        changed = true;
      }
    });
    now = std::move(next);
    if (!changed) break;
  }
  assert(*std::min_element(now.triangle.begin(), now.triangle.end()) >= 0);
  // Among triangles smaller than a voxel, the nearest may be no neighbour's: walk to it over the mesh.
  const Fans fans(triangles, positions.size());
  tbb::parallel_for(std::size_t{0}, n, [&](std::size_t slot) {
    const Vec3 p = grid.position(voxel(slot));
    bool moved = true;
    for (int i = 0; moved && i < kMaxWalk; ++i) {
      moved = false;
      const Triangle here = triangles[now.triangle[slot]];
      for (int corner : here)
        for (std::int32_t t : fans.of(corner)) {
          const double d = distance_to(t, p);
          if (!(d < now.distance[slot])) continue;
          now.distance[slot] = d;
          now.triangle[slot] = t;
          moved = true;
        }
    }
  });
  for (std::size_t slot = 0; slot < n; ++slot) {
    grid.values[slot] = static_cast<float>(std::copysign(now.distance[slot], grid.values[slot]));
  }
  nearest_triangle = std::move(now.triangle);
}

}  // namespace keydrape
