#include "io/templates/sheet.h"

#include <cmath>
#include <numeric>

namespace keydrape {

TriangleMesh make_sheet(SheetSize size, const std::function<Vec3(int row, int column)>& position) {
  TriangleMesh mesh;
  for (int row = 0; row < size.rows; ++row)
    for (int column = 0; column < size.columns; ++column) mesh.positions.push_back(position(row, column));
  const auto vertex = [&](int row, int column) { return row * size.columns + column % size.columns; };
  for (int row = 0; row + 1 < size.rows; ++row) {
    for (int column = 0; column < (size.closed ? size.columns : size.columns - 1); ++column) {
      const int a = vertex(row, column), b = vertex(row + 1, column), c = vertex(row + 1, column + 1),
                d = vertex(row, column + 1);
      if ((row + column) % 2 == 0) {
        mesh.triangles.insert(mesh.triangles.end(), {{a, b, c}, {a, c, d}});
      } else {
        mesh.triangles.insert(mesh.triangles.end(), {{a, b, d}, {b, c, d}});
      }
    }
  }
  return mesh;
}

std::vector<int> rows_of(SheetSize size, int first, int last) {
  std::vector<int> vertices((last - first + 1) * size.columns);
  std::iota(vertices.begin(), vertices.end(), first * size.columns);
  return vertices;
}

std::vector<Vec3> bent(const Thread& thread, const std::function<double(int edge)>& angle) {
  std::vector<Vec3> points = {thread.start};
  for (int edge = 0; edge < thread.edge_count; ++edge)
    points.push_back(points.back() + thread.edge_length * (std::cos(angle(edge)) * thread.along +
                                                           std::sin(angle(edge)) * thread.towards));
  return points;
}

}  // namespace keydrape
