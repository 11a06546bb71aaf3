#pragma once

#include <optional>
#include <vector>

#include "core/contact/pairs/nearest_search.h"
#include "core/contact/pairs/surface_pairs.h"

namespace keydrape {

// The triangles of all bodies where they are in one array of positions. Immutable.
class BodyFaces {
 public:
  struct Point {
    Triangle vertices;  // of the array
    Vec3 weights;       // of these
    double distance;    // from the point that was asked for [m]
    double range;       // of the body's barrier [m]

    Vec3 gather(const VecX& x) const;  // what x (the whole array) has there
  };

  // Both outlive this. Requires a body.
  BodyFaces(const SurfacePairs& pairs, const VecX& x);

  // The point nearest to p, if it is nearer than `reach` [m].
  std::optional<Point> nearest(const Vec3& p, double reach) const;

 private:
  Vec3 at(int vertex) const { return x_.segment<3>(3 * vertex); }

  const SurfacePairs& pairs_;
  const VecX& x_;
  std::vector<Triangle> faces_;
  NearestSearch search_;
};

}  // namespace keydrape
