#pragma once

#include <functional>
#include <vector>

#include "core/base/types.h"

namespace keydrape::examples {

// Rises smoothly from 0 (at and below `from`) to 1 (at and above `to`), with slope 0 at both ends. Requires
// from < to.
double ease(double x, double from, double to);

// A plane curve given by the angle of its tangent as a function of its arc length: bending a flat sheet
// along such a curve stretches nothing. It starts at the origin; before its start it goes on straight along
// the first axis.
class PlaneCurve {
 public:
  // `tangent_angle`: arc length [m] -> angle against the first axis [rad]. `length`: how far it is known [m].
  PlaneCurve(const std::function<double(double)>& tangent_angle, double length);

  // The point at arc length s <= length [m].
  Vec2 at(double s) const;

 private:
  std::vector<Vec2> points_;  // every kStep of arc length
};

}  // namespace keydrape::examples
