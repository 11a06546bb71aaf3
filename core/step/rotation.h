#pragma once

#include <Eigen/LU>
#include <vector>

#include "core/base/types.h"

namespace keydrape {

// The rigid turn of a part of the cloth that lies in a change w of its positions: the rotation Omega w about
// its centre that has the angular momentum of w (core/step/EQUATIONS.md (R6)),
//   (Omega w)_i = omega x r_i ,   I omega = sum m_i r_i x w_i ,   I = sum m_i (|r_i|^2 1 - r_i r_i^T)
// with r_i = x_i - x_G. The M-orthogonal projection on rotations. A part on a line does not turn about it.
class PartRotation {
 public:
  // Of these vertices, at x [m] (3n); mass: (n) [kg]. The vectors outlive it.
  PartRotation(const std::vector<int>& part, const VecX& x, const VecX& mass);

  void add(const VecX& w, double factor, VecX& to) const;  // to += factor Omega w, over the part
  // to += factor Omega^T w
  void add_transposed(const VecX& w, double factor, VecX& to) const;
  // to += factor d(Omega w)/dx dx, with w held, and its transpose.
  void add_change(const VecX& w, const VecX& dx, double factor, VecX& to) const;
  void add_change_transposed(const VecX& w, const VecX& w_bar, double factor, VecX& to) const;

 private:
  Vec3 turn_of(const VecX& w) const;  // omega

  const std::vector<int>& part_;
  const VecX& mass_;
  std::vector<Vec3> r_;
  double total_ = 0.0;  // mass
  Mat3 inverse_;        // of I
};

}  // namespace keydrape
