#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/cloth/cloth.h"
#include "core/contact/pairs/intersection.h"

namespace keydrape {

// How near to a body cloth may lie [m]: the smallest gap. Penalties and the filter of velocities keep none,
// and what they let rest within it may begin there: wherever the body's distance tells the way out.
double least_distance(const ClothDescription& cloth, const ColliderPose& body);

// Points of the cloth that lie within a body, or nearer to it than `least_distance`.
struct BodyOverlap {
  size_t body = 0;        // of ClothDescription::bodies
  int vertex_count = 0;   // vertices among them
  int between_count = 0;  // points on edges and inside of triangles (sample_points.h)
  SamplePoint deepest{};  // a vertex where there is one
  double least = 0.0;     // least_distance [m]
  double depth = -1.0;    // how far that one is beyond it [m], >= 0
};

// Features that are this share of the smallest gap apart, or less, are in one place: there is no telling
// which side one is of the other.
constexpr double kOnePlace = 1e-6;

// A vertex and the three of a face, or the ends of two edges. Beyond the cloth's n vertices a body's
// are counted on.
struct FeaturePair {
  std::array<int, 4> vertices;
  bool is_vertex_face;
  double distance;  // [m]
};

// Pairs of features nearer than the smallest gap, or all but at it (kAtGap of exemptions.h).
struct ClosePairs {
  int count = 0;
  // Of them, those of the cloth that the rest mesh has as near: in one place, as on a seam that is not
  // welded, or between triangles smaller than the gap. No pose parts them.
  int seam_count = 0, small_count = 0;
  std::optional<FeaturePair> nearest;  // seams before small triangles before others
};

// Where the cloth goes through itself.
struct SelfOverlap {
  Intersections through;
  ClosePairs close;  // not looked for where it goes through itself

  bool is_clean() const { return through.count == 0 && close.count == 0; }
};

// Where the cloth goes through a body that collides as triangles, or is too near to it.
struct SurfaceOverlap {
  size_t surface = 0;   // of ClothDescription::surfaces
  int cut_count = 0;    // edges through faces, of either
  int cut_vertex = -1;  // of the cloth, at the first of them
  ClosePairs close;     // not looked for where it goes through
};

// Which vertices pins hold in all directions at `time` [s]: they go where they are told, and do not count.
std::vector<char> held_vertices(const ClothDescription& cloth, double time);

// Of every body that has any, in their order, in its pose at `time`. Points with a vertex of which `left_out`
// is not 0 do not count. x: positions [m] (3n). `least`: another distance than `least_distance` [m].
std::vector<BodyOverlap> overlaps_with_bodies(const ClothDescription& cloth, const VecX& x, double time,
                                              const std::vector<char>& left_out,
                                              std::optional<double> least = {});
// Of every surface that has any, likewise; faces and pairs with a vertex that is left out do not count.
std::vector<SurfaceOverlap> overlaps_with_surfaces(const ClothDescription& cloth, const VecX& x, double time,
                                                   const std::vector<char>& left_out);
// Faces with a vertex of which `left_out` is not 0 do not count. Requires cloth that collides with itself.
SelfOverlap overlap_with_itself(const ClothDescription& cloth, const VecX& x,
                                const std::vector<char>& left_out);

}  // namespace keydrape
