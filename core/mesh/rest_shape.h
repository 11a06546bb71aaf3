#pragma once

#include <optional>
#include <vector>

#include "core/mesh/mesh.h"
#include "core/mesh/rest_hinge.h"
#include "core/mesh/topology.h"

namespace keydrape {

// Where the unstretched shape of each triangle comes from.
enum class RestSource {
  kMesh,  // the rest mesh: each triangle in its own plane, hinges at the angles that they have there
  kUv,    // flat panels: the texture coordinates, hinges flat
};

struct RestOptions {
  RestSource source = RestSource::kMesh;
  // Metres for one unit of texture coordinate, with kUv. Default: such that panels and mesh have
  // the same area.
  std::optional<double> meters_per_uv;
  // Warp direction where the mesh has no UVs [any length]. Default: the longest side of the bounding box.
  std::optional<Vec3> warp;
};

// The cloth without any force on it.
struct RestShape {
  // Corners of every triangle in (warp, weft) coordinates, counter-clockwise [m].
  std::vector<RestCorners> corners;
  std::vector<double> hinge_angles;  // by hinge of the topology [rad]
  double meters_per_uv = 0.0;        // with kUv, what was used
  double area = 0.0;                 // [m^2]
};

// With UVs, warp is the direction in which u grows. Without, it is `options.warp` laid into each triangle
// (where the triangle stands across it, the next longest side of the bounding box). Weft is perpendicular to
// warp, but with kUv where v grows. Throws InputError for kUv without UVs, and for a panel triangle without
// area, which it names.
RestShape build_rest_shape(const TriangleMesh& mesh, const Topology& topology, const RestOptions& options);

// The triangles, ascending, whose warp no UVs tell: all of a mesh without, else those without area in them.
std::vector<int> find_unmapped(const TriangleMesh& mesh);

// The triangles, ascending, that stand across a warp direction (any length): it cannot be laid into them.
std::vector<int> find_across(const TriangleMesh& mesh, const Vec3& warp);

}  // namespace keydrape
