#pragma once

#include <vector>

#include "core/base/types.h"

// The mesh that the examples are made of: `line_count` lines of `point_count` points each, cells cut along
// alternating diagonals so that the cloth prefers neither direction. Vertex numbers run along the
// first line, then the second ..: the lines that hold the cloth (flagpole, waistband) come first, and
// so do their numbers.

namespace keydrape::examples {

struct Sheet {
  int line_count;
  int point_count;  // points on a line
  bool closed;      // each line runs round and meets itself: its last point neighbours its first

  int vertex_count() const { return line_count * point_count; }
  int cells_per_line() const { return closed ? point_count : point_count - 1; }
  int vertex(int line, int point) const { return line * point_count + point % point_count; }
};

// Two triangles a cell, cell after cell along each line; counter-clockwise seen from the side from which the
// lines follow each other to the right while their points run upwards.
std::vector<Triangle> triangles(const Sheet& sheet);

// What a cell's corner is called by its line and its point, where `triangles` calls it by its vertex: lets a
// seam give one vertex two texture coordinates. Same order as `triangles`.
struct Corner {
  int line;
  int point;  // 0 .. cells_per_line(), not wrapped round
};
std::vector<std::array<Corner, 3>> triangle_corners(const Sheet& sheet);

// An edge of the sheet and its length at rest.
struct SheetEdge {
  Edge vertices;
  double length;  // [m]
  bool diagonal;  // across a cell; otherwise along a thread (a line, or from line to line)
};

// Every edge once. `rest`: one position per vertex [m].
std::vector<SheetEdge> edges(const Sheet& sheet, const std::vector<Vec3>& rest);

}  // namespace keydrape::examples
