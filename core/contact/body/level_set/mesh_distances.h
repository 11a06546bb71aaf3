#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/contact/body/level_set/brick_grid.h"

namespace keydrape {

// Distances of a closed triangle mesh at the nodes of a grid, by OpenVDB (Museth 2013).
struct MeshDistances {
  BrickGrid grid;                              // distances [m], exact to single precision
  std::vector<std::int32_t> nearest_triangle;  // at each of grid.values
};

struct MeshDistanceOptions {
  double voxel = 0.01;       // spacing of the nodes [m], > 0
  double half_width = 0.06;  // BrickGrid::half_width [m], > 0
};

// What closed triangles enclose is inside, whichever way they are turned; where bodies overlap, their union;
// cavities without a way out count as inside. Walls thinner than a voxel may be lost. Takes 3 to 5 s a
// million voxels within half_width on one busy core.
// Throws InputError where more than kMaxMeshVoxels or a table beyond kMaxTableBricks would be needed.
// Requires find_open_edge() to find none, finite positions.
MeshDistances mesh_distances(const std::vector<Vec3>& positions, const std::vector<Triangle>& triangles,
                             const MeshDistanceOptions& options);

inline constexpr double kMaxMeshVoxels = 100e6;

// Why triangles bound no body, as a sentence that names an edge (vertices counted from 0) and how to
// mend it: an odd number of triangles share the edge, so that the mesh is open there; no triangle at
// all. Empty: closed.
std::optional<std::string> find_open_edge(const std::vector<Triangle>& triangles);

}  // namespace keydrape
