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
    if (const auto count = end - side; count % 2 == 1) {
      const std::string edge =
          "edge (" + std::to_string((*side)[0]) + ", " + std::to_string((*side)[1]) + ")";
      return count == 1
                 ? edge + " belongs to 1 triangle: the mesh is open there and has no inside; close it"
                 : edge + " belongs to " + std::to_string(count) +
                       " triangles, an odd number: the mesh has no inside there; remove one that is there "
                       "twice or stands within it, or close it";
    }
    side = end;
  }
  return std::nullopt;
}

}  // namespace keydrape
