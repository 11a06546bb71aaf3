#pragma once

#include <optional>
#include <vector>

#include "core/base/types.h"

namespace keydrape {

// An edge and a face of a mesh that it goes through.
struct EdgeThroughFace {
  Edge edge;
  int face;
};

struct Intersections {
  int count = 0;
  std::optional<EdgeThroughFace> first;  // in ascending order of edges
};

// Where a mesh goes through itself: edges that pass through a face of which they share no vertex. By the
// signs of volumes in double precision: a touch within rounding may be told either way, a passage never is,
// nor are features of one plane that are apart. Where an edge meets an edge or a corner, or ends in a face,
// surfaces that pass do so with every face that meets there, and those that only touch with none.
// `first_count`: 0, or only between features of the first so many vertices and of the others.
Intersections find_intersections(const std::vector<Triangle>& triangles, const VecX& x, int first_count = 0);
// All of them, in ascending order of edges, then faces.
std::vector<EdgeThroughFace> list_intersections(const std::vector<Triangle>& triangles, const VecX& x,
                                                int first_count = 0);

}  // namespace keydrape
