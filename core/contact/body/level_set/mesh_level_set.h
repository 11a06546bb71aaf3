#pragma once

#include <memory>
#include <vector>

#include "core/contact/body/level_set/level_set.h"
#include "core/contact/body/level_set/nearest_triangle.h"

namespace keydrape {

struct LevelSetOptions {
  double voxel = 0.01;  // spacing of the grid's nodes [m], > 0
  double band = 0.02;   // LevelSet::band() [m], > 0
};

// The spacing where nobody asks for one [m]: 1/64 of how large the body is, and no finer than 1/16 of the
// band, within which cloth that keeps its distance feels no difference. Requires both > 0.
double usual_voxel(double size, double band);

// Whether the triangle nearest to each node of the grid is kept.
enum class NearestTriangles { kDropped, kKept };

struct MeshLevelSet {
  std::unique_ptr<const LevelSet> field;
  NearestTriangle nearest;  // empty unless it is kept
};

// The level set of a closed mesh. The mesh itself lies in {phi <= 0}, checked at points of its triangles a
// third of a voxel apart: a vertex of cloth outside of {phi <= 0} is outside of the mesh. Throws InputError:
// an open mesh (find_open_edge), a body with walls so thin that the grid loses more than 3/4 of a voxel of
// them, too large a grid (mesh_distances). Requires finite positions.
MeshLevelSet mesh_level_set(const std::vector<Vec3>& positions, const std::vector<Triangle>& triangles,
                            const LevelSetOptions& options,
                            NearestTriangles nearest = NearestTriangles::kDropped);

}  // namespace keydrape
