#pragma once

#include "core/base/types.h"

namespace keydrape {

// One of the two triangles of a hinge, in the orthonormal frame of the edge x0 -> x1 and the vertex
// opposite to it.
struct HingeWing {
  Vec3 across;    // unit vector in the triangle, from the edge to the opposite vertex
  Vec3 normal;    // unit normal
  double height;  // of the opposite vertex over the edge [m]
  double foot;    // its foot is x0 + foot (x1 - x0)
};

// The signed angle between the normals of the two triangles of a hinge (vertices as in `Hinge`,
// core/mesh/topology.h), with exact derivatives in closed form (Tamstorf & Grinspun 2013, "Discrete bending
// forces and their Jacobians", in the shape derived in hinge_angle.cpp).
//
//   theta = atan2((n_a x n_b) . e, n_a . n_b)  in (-pi, pi]   (atan2, since acos loses digits near flat)
//
// 0: flat. Positive: a ridge, seen from the side that the normals point to; negative: a valley.
// Requires an edge and two triangles without zero length or area. Jumps by 2 pi where the triangles fold
// onto each other.
class HingeAngle {
 public:
  explicit HingeAngle(const Stencil<4>& x);

  double area_a() const { return 0.5 * length_ * a_.height; }  // of the two triangles [m^2]
  double area_b() const { return 0.5 * length_ * b_.height; }

  double theta() const;               // [rad]
  Stencil<4> gradient() const;        // [rad/m]
  StencilHessian<4> hessian() const;  // [rad/m^2], exact

 private:
  Vec3 edge_;      // unit
  double length_;  // [m]
  HingeWing a_, b_;
};

}  // namespace keydrape
