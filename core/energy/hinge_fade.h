#pragma once

#include <array>

#include "core/base/types.h"

namespace keydrape {

// How much of a hinge's angle counts where one of its triangles has hardly any area left (vertices as in
// `Hinge`, core/mesh/topology.h), with exact derivatives (core/EQUATIONS.md (F1), (F2)):
//   q = S(A_a/a_a) S(A_b/a_b) ,   S(z) = z^3 (10 - 15 z + 6 z^2)  for z < 1, else 1   (Perlin 2002)
// a are the areas from which on a triangle counts whole. The angle itself turns any way where a triangle
// collapses to a line: its gradient grows as 1/A, its Hessian as 1/A^2. q falls as A^3, so that q theta is
// twice continuously differentiable, and zero on the line.
class HingeFade {
 public:
  // areas: of triangle a and b, from which on each counts whole [m^2]; 0: always.
  HingeFade(const Stencil<4>& x, const std::array<double, 2>& areas);

  bool is_gone() const { return value() == 0.0; }  // so are all derivatives of q theta
  double value() const { return a_.S * b_.S; }
  Stencil<4> gradient() const;        // [1/m]; requires that it is not gone
  StencilHessian<4> hessian() const;  // [1/m^2], exact; the same

 private:
  struct Part {
    double S, dS, d2S;  // S and its derivatives by z
    double z;           // A/a
    Stencil<3> sides;   // opposite to each vertex [m]
    Vec3 normal;        // twice the area long [m^2]

    Part(const Vec3& x0, const Vec3& x1, const Vec3& x2, double area);
    Eigen::Matrix<double, 9, 1> gradient() const;  // of z
    StencilHessian<3> hessian() const;             // of z
  };
  Part a_, b_;
};

}  // namespace keydrape
