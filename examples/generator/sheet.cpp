#include "examples/generator/sheet.h"

#include <cassert>

#include "core/mesh/topology.h"

namespace keydrape::examples {

std::vector<std::array<Corner, 3>> triangle_corners(const Sheet& sheet) {
  std::vector<std::array<Corner, 3>> result;
  for (int line = 0; line + 1 < sheet.line_count; ++line) {
    for (int point = 0; point < sheet.cells_per_line(); ++point) {
      const Corner a{line, point}, b{line + 1, point}, c{line + 1, point + 1}, d{line, point + 1};
      if ((line + point) % 2 == 0) {
        result.push_back({a, b, c});
        result.push_back({a, c, d});
      } else {
        result.push_back({a, b, d});
        result.push_back({b, c, d});
      }
    }
  }
  return result;
}

std::vector<Triangle> triangles(const Sheet& sheet) {
  std::vector<Triangle> result;
  for (const auto& [p, q, r] : triangle_corners(sheet)) {
    result.push_back(
        {sheet.vertex(p.line, p.point), sheet.vertex(q.line, q.point), sheet.vertex(r.line, r.point)});
  }
  return result;
}

std::vector<SheetEdge> edges(const Sheet& sheet, const std::vector<Vec3>& rest) {
  assert(static_cast<int>(rest.size()) == sheet.vertex_count());
  std::vector<SheetEdge> result;
  for (const Edge& edge : build_topology(triangles(sheet), sheet.vertex_count()).edges) {
    const auto [i, j] = edge;
    const bool same_line = i / sheet.point_count == j / sheet.point_count;
    const bool same_point = i % sheet.point_count == j % sheet.point_count;
    result.push_back({edge, (rest[j] - rest[i]).norm(), !same_line && !same_point});
  }
  return result;
}

}  // namespace keydrape::examples
