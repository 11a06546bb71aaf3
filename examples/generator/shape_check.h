#pragma once

#include <string>
#include <vector>

#include "examples/generator/sheet.h"

namespace keydrape::examples {

// A keyframe, and the cloth it is meant for.
struct SculptedShape {
  Sheet sheet;
  std::vector<Vec3> rest;    // [m] where the cloth has its rest lengths
  std::vector<Vec3> pinned;  // [m] where the first so many vertices are held at the keyframe
  std::vector<Vec3> shape;   // [m]
};

// What cloth can say against a sculpted shape.
struct ShapeCheck {
  double thread_strain;     // largest |length / rest length - 1| of the edges along a thread
  double diagonal_strain;   // the same across the cells: shear, to which cloth yields easily
  double closest_approach;  // [m] smallest distance of two vertices that are kFarApart or more at rest
  double pin_error;         // [m] largest distance of a pinned vertex from where it is held
};

inline constexpr double kFarApart = 0.1;    // [m] three cells of the flag
inline constexpr double kClearance = 0.03;  // [m] a cell: two layers that cross have nearer vertices

// Quadratic in the number of vertices.
ShapeCheck check_shape(const SculptedShape& sculpted);

// "thread strain 0.31 %, diagonal strain .. , closest approach .. m"
std::string describe(const ShapeCheck& check);

}  // namespace keydrape::examples
