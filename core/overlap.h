#pragma once

#include <vector>

#include "core/cloth.h"
#include "core/contact/intersection.h"

namespace keydrape {

// Points of the cloth that lie within a body, or nearer to it than the smallest gap.
struct BodyOverlap {
  size_t body = 0;        // of ClothDescription::bodies
  int vertex_count = 0;   // vertices among them
  int between_count = 0;  // points on edges and inside of triangles (sample_points.h)
  SamplePoint deepest{};  // a vertex where there is one
  double depth = -1.0;    // how far that one is beyond the gap [m], >= 0
};

// Where the cloth goes through itself.
struct SelfOverlap {
  Intersections through;
  int close_count =
      0;  // pairs of features nearer than the smallest gap; not counted where it goes through itself

  bool is_clean() const { return through.count == 0 && close_count == 0; }
};

// Which vertices pins hold in all directions at `time` [s]: they go where they are told, and do not count.
std::vector<char> held_vertices(const ClothDescription& cloth, double time);

// Of every body that has any, in their order, in its pose at `time`. Points with a vertex of which `left_out`
// is not 0 do not count. x: positions [m] (3n).
std::vector<BodyOverlap> overlaps_with_bodies(const ClothDescription& cloth, const VecX& x, double time,
                                              const std::vector<char>& left_out);
// Faces with a vertex of which `left_out` is not 0 do not count. Requires cloth that collides with itself.
SelfOverlap overlap_with_itself(const ClothDescription& cloth, const VecX& x,
                                const std::vector<char>& left_out);

}  // namespace keydrape
