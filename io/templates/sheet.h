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

// A thread that begins at `start`, in a plane.
struct Thread {
  Vec3 start = Vec3::Zero();
  Vec3 along, towards;  // unit vectors, perpendicular
  int edge_count;
  double edge_length;  // [m]
};

// Its edge_count + 1 points when its direction turns: angle(k) is that of edge k [rad], measured from `along`
// towards `towards`. Every edge keeps its length, so that cloth bent along it is not stretched.
std::vector<Vec3> bent(const Thread& thread, const std::function<double(int edge)>& angle);

}  // namespace keydrape
