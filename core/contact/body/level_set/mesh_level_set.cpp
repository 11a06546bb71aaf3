#include "core/contact/body/level_set/mesh_level_set.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace keydrape {
namespace {

constexpr double kSurfaceSpacing = 1.0 / 3;  // [voxels]
// A wall that the grid has lost shows as a gap of half its thickness or more; corners of cubes have
// up to 0.35.
constexpr double kThinGap = 0.75;  // [voxels]

// Points of all triangles, no farther apart than `spacing`; those on shared edges more than once.
std::vector<Vec3> surface_points(const std::vector<Vec3>& positions, const std::vector<Triangle>& triangles,
                                 double spacing) {
  std::vector<Vec3> points;
  for (const Triangle& t : triangles) {
    const Vec3 &a = positions[t[0]], &b = positions[t[1]], &c = positions[t[2]];
    const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    const int n = std::max(1, static_cast<int>(std::ceil(longest / spacing)));
    for (int i = 0; i <= n; ++i)
      for (int j = 0; i + j <= n; ++j) points.push_back(((n - i - j) * a + i * b + j * c) / n);
  }
  return points;
}

}  // namespace

double usual_voxel(double size, double band) {
  constexpr double kVoxelsAlongBody = 64.0, kVoxelsInBand = 16.0;
  return std::max(size / kVoxelsAlongBody, band / kVoxelsInBand);
}

MeshLevelSet mesh_level_set(const std::vector<Vec3>& positions, const std::vector<Triangle>& triangles,
                            const LevelSetOptions& options, NearestTriangles nearest) {
  assert(options.voxel > 0 && options.band > 0);
  if (const auto defect = find_open_edge(triangles)) throw InputError(*defect);
  MeshDistances distances = mesh_distances(
      positions, triangles,
      {.voxel = options.voxel, .half_width = options.band + LevelSet::kMargin * options.voxel});
  MeshLevelSet result;
  if (nearest == NearestTriangles::kKept) result.nearest = NearestTriangle(distances);
  const std::vector<Vec3> surface = surface_points(positions, triangles, kSurfaceSpacing * options.voxel);
  result.field = std::make_unique<LevelSet>(std::move(distances.grid), surface);
  if (result.field->largest_gap() > kThinGap * options.voxel) {
    throw InputError("the body is too thin for a level set of voxel " + std::to_string(options.voxel) +
                     " m: part of it would be lost; use voxels half as large or smaller, or let its "
                     "triangles collide as a surface");
  }
  return result;
}

}  // namespace keydrape
