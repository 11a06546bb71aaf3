#pragma once

#include <vector>

#include "core/base/animated.h"
#include "core/mesh/mesh.h"
#include "core/mesh/rest_shape.h"
#include "core/pass/step_filter.h"

namespace keydrape {

// An edge, and what lies between its ends at rest in (warp, weft) coordinates, in each triangle beside it.
struct LimitedEdge {
  Edge vertices;
  std::vector<Vec2> rest;  // one or two [m]

  // Where the cloth grows by this much in warp and weft [m].
  double length(const Vec2& scale) const;
};

// Draws the ends of overlong edges together (Provot 1995, "inverse dynamics"), core/contact/impulse/
// EQUATIONS.md (Z10): edge after edge in ascending order, each by what is too much of it and shared out by
// mass, so that momentum is kept; again until none is too long, or for kMaxSweeps.
class EdgeLimit final : public StepFilter {
 public:
  static constexpr int kMaxSweeps = 30;
  static constexpr double kTooLong = 1e-6;  // beyond the limit, of the length at rest, that is let through

  // Edges in ascending order; `limit` >= 0: by which share of its length at rest an edge may be longer.
  EdgeLimit(std::vector<LimitedEdge> edges, double limit, Animated<Vec2> stretch_scale)
      : edges_(std::move(edges)), limit_(limit), stretch_scale_(std::move(stretch_scale)) {}

  int apply(const FilteredStep& step, VecX& y) const override;

 private:
  std::vector<LimitedEdge> edges_;
  double limit_;
  Animated<Vec2> stretch_scale_;
};

// Which of the edges is longer than at rest by the largest share of that, and by which. Requires an edge.
struct LongEdge {
  Edge vertices;
  double stretch;
};
LongEdge longest_edge(const std::vector<LimitedEdge>& edges, const Vec2& scale, const VecX& x);

// All edges of a mesh with this shape at rest.
std::vector<LimitedEdge> limited_edges(const TriangleMesh& mesh, const RestShape& rest);

}  // namespace keydrape
