#pragma once

#include <functional>

#include "examples/generator/curve.h"

namespace keydrape::examples {

// A flat sheet in the plane z = 0 bent along a curve, without stretch, so that its rulings, the lines that
// stay straight, lean by `lean` [rad] from the second axis. The sheet stays flat up to the ruling that is
// `flat` [m] away from the origin.
//
//   x = c_1(s) e_s + w e_w + c_2(s) e_z ,   s, w: coordinates across and along the rulings
class Bend {
 public:
  // `tangent_angle` and `curve_length` [m]: as PlaneCurve; the curve begins at the ruling `flat`.
  Bend(const std::function<double(double)>& tangent_angle, double lean, double flat, double curve_length);

  Vec3 operator()(const Vec3& p) const;

 private:
  PlaneCurve curve_;
  Vec2 across_;
  double flat_;
};

}  // namespace keydrape::examples
