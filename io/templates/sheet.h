#pragma once

#include <functional>

#include "core/mesh/mesh.h"

namespace keydrape {

// A sheet of `rows` x `columns` vertices, row by row, cells cut along alternating diagonals so that the cloth
// prefers neither. `closed`: each row runs round, and its last vertex neighbours its first.
struct SheetSize {
  int rows;
  int columns;
  bool closed = false;
};

// Seen from the front, columns run to the right and rows downwards. No texture coordinates, no groups.
TriangleMesh make_sheet(SheetSize size, const std::function<Vec3(int row, int column)>& position);

// The vertices of some rows: a group.
std::vector<int> rows_of(SheetSize size, int first, int last);

// Positions along a thread of `count` edges of the given length whose direction turns: angle(k) is that of
// edge k [rad], measured from `along` towards `towards` (unit vectors, perpendicular). count + 1 points;
// every edge keeps its length, so that cloth bent along it is not stretched.
std::vector<Vec3> bent_thread(const Vec3& start, const Vec3& along, const Vec3& towards, int count,
                              double length, const std::function<double(int edge)>& angle);

}  // namespace keydrape
