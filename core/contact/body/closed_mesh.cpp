#include <algorithm>
#include <string>

#include "core/contact/body/level_set/mesh_distances.h"

namespace keydrape {

std::optional<std::string> find_open_edge(const std::vector<Triangle>& triangles) {
  if (triangles.empty()) return "the mesh has no triangle, so that it bounds no body; export its faces";
  std::vector<Edge> sides;
  sides.reserve(3 * triangles.size());
  for (const Triangle& t : triangles)
    for (int c = 0; c < 3; ++c) {
      const auto [low, high] = std::minmax(t[c], t[(c + 1) % 3]);
      sides.push_back({low, high});
    }
  std::sort(sides.begin(), sides.end());
  for (auto side = sides.begin(); side != sides.end();) {
    const auto end = std::upper_bound(side, sides.end(), *side);
    if ((end - side) % 2 == 1) {
      return "edge (" + std::to_string((*side)[0]) + ", " + std::to_string((*side)[1]) + ") belongs to " +
             std::to_string(end - side) + " triangles: the mesh is open there and has no inside; close it";
    }
    side = end;
  }
  return std::nullopt;
}

}  // namespace keydrape
