#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/types.h"

namespace keydrape {

// A triangle mesh as the solver sees it: metres, Y up or whatever the gravity says, counted from 0.
// Plain data; `find_mesh_defect` (topology.h) says whether it can be simulated.
struct TriangleMesh {
  std::vector<Vec3> positions;      // [m]
  std::vector<Triangle> triangles;  // counter-clockwise seen from the front
  std::vector<Vec2> uvs;            // texture coordinates as authored; empty: the mesh has none
  // Corner c of triangle t has the texture coordinate uvs[uv_triangles[t][c]]: a vertex on a seam has
  // several. Empty, or as many as triangles.
  std::vector<Triangle> uv_triangles;
  std::vector<Edge> lines;  // edges that belong to no triangle (OBJ `l`): seams to be sewn
  std::map<std::string, std::vector<int>> groups;  // name -> vertices, ascending, each once

  int vertex_count() const { return static_cast<int>(positions.size()); }
  int triangle_count() const { return static_cast<int>(triangles.size()); }
  bool has_uvs() const { return !uv_triangles.empty(); }
};

// Positions as one vector x0 y0 z0 x1 ...  (3n)
VecX stacked(const std::vector<Vec3>& positions);
// One behind the other. Requires one, and all of a size.
VecX concatenated(const std::vector<VecX>& rows);

// Mean length of the triangles' sides [m]: inner edges count twice. Requires a triangle.
double mean_side(const TriangleMesh& mesh);

// Length of the diagonal of the axis-aligned bounding box [m]; 0 for no positions.
double bounding_box_diagonal(const std::vector<Vec3>& positions);

}  // namespace keydrape
