#include "io/shot/doubt/vertex_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "io/file/short_number.h"

namespace keydrape {

std::string vertex_in_words(const TriangleMesh& rest, int vertex) {
  const std::string* nearest = nullptr;
  std::size_t size = 0;
  double least = std::numeric_limits<double>::infinity();  // [m]; below 0: the vertex is in the group
  for (const auto& [name, vertices] : rest.groups) {
    if (vertices.empty() || static_cast<int>(vertices.size()) == rest.vertex_count()) continue;
    double distance = std::numeric_limits<double>::infinity();
    for (const int i : vertices)
      distance = std::min(distance, i == vertex ? -1.0 : (rest.positions[i] - rest.positions[vertex]).norm());
    if (nearest && (distance > least || (distance == least && vertices.size() >= size))) continue;
    nearest = &name;
    size = vertices.size();
    least = distance;
  }
  if (!nearest) return fmt::format("vertex {}", vertex);
  return least < 0.0
             ? fmt::format("vertex {} (group {})", vertex, *nearest)
             : fmt::format("vertex {} ({} m from group {})", vertex, short_number(least, 2), *nearest);
}

}  // namespace keydrape
