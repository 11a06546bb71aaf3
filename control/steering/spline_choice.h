#pragma once

#include <vector>

#include "control/unknowns/control_layout.h"

namespace keydrape {

// What guidance decides where forces follow splines. A function that begins in a block pushes little there,
// most two spans later, and what was decided before goes on: (G) would be felt late, be answered again, and
// end in a push in the last span of which hardly anything is felt in time. Here the functions that have not
// begun are chosen together, each for what it does by the moment that is aimed at, with the least effort
// beside what goes on; those that begin now are kept.
//
// y_f = y0_f + sum_g N_fg c_g: y0 was decided. rho_f: how far y_f = 1 takes a free particle by then; r = N^T
// rho, b = N^T y0, G = N^T N + shift. With the miss m of a particle that coasts, in the unit of rho,
//   min 1/2 c . G c + b . c  with  r . c = m - rho . y0  :
//   c = G^-1 (lambda r - b) ,  lambda = (m - rho . y0 + r . G^-1 b) / (r . G^-1 r + doubt)              (G3)
class SplineChoice {
 public:
  using Rows = ControlLayout::Rows;

  // `reach`: how far a unit of acceleration during a block takes a free particle by the moment that is aimed
  // at [s^2], or how much faster it makes it [s]; 0 from there on (blocks). The layout has a spline, some
  // function of which begins in `block`, and outlives this.
  SplineChoice(const ControlLayout& layout, int block, const VecX& reach);

  // What the functions that act already will do, in the particle's unit: for the k-th active vertex. `y`:
  // (5), of what is decided (blocks, one after the other, as ControlLayout::fine).
  Vec3 decided(const VecX& y, int k) const;
  // The values y of the functions that begin in the block, the first first, such that the k-th active vertex
  // gains `wanted`, in the particle's unit, beyond what is decided.
  std::vector<Vec3> choose(const VecX& y, int k, const Vec3& wanted) const;

 private:
  double unit(int k) const;  // of y at the k-th active vertex, where the strength in time is 1 [m/s^2]

  const ControlLayout& layout_;
  int block_, beginning_;    // of how many functions
  VecX reach_;               // rho_f
  Eigen::MatrixXd N_;        // (blocks from `block` on, functions that have not begun before)
  VecX response_;            // G^-1 r
  double gain_ = 0.0;        // r . G^-1 r
  double doubt_ = 0.0;       // beside it: what the functions do not promise
  Eigen::MatrixXd inverse_;  // G^-1, the rows of the functions that begin
};

}  // namespace keydrape
