#pragma once

#include <Eigen/SparseCore>
#include <vector>

#include "control/unknowns/control_layout.h"
#include "core/base/types.h"

namespace keydrape {

// What forces cost, as a metric of the unknowns: |z|_M^2 is the cost over half the effort's weight.
//   M = I + S (L_t + L_e) S                                           (control/EQUATIONS.md (O2))
// L_t couples the blocks of a vertex, L_e vertices along edges, S is the share of the force: painted, and in
// time. Cosines diagonalise L_t, whose ends are free, and sines where they are held by the forces beside a
// part of a shot (Strang 1999, "The discrete cosine transform"): what is left is a sparse matrix over the
// vertices for each of them. It is factorised in every solve, not kept: the plan of a search's memory
// (search_memory.h) has no room for so many factors.
class PriceMetric {
 public:
  struct Coupling {
    int k, l;      // positions among the active vertices
    double price;  // of |a_k - a_l|^2, over that of |y|^2
  };
  struct InTime {
    double price;                                 // of |a_f+1 - a_f|^2, likewise
    bool begins_held = false, ends_held = false;  // the changes to what is before and behind count too
  };
  // `layout` outlives this and has neither splines nor modes.
  PriceMetric(const ControlLayout& layout, const InTime& in_time, std::vector<Coupling> couplings);

  // M^-1 z_bar, where this share of the prices counts.
  VecX solve(const VecX& z_bar, double price_share) const;

 private:
  using Matrix = Eigen::SparseMatrix<double>;
  // At one of the eigenvalues of L_t: the diagonal of M without its couplings, and M's lower triangle.
  VecX diagonal(double time_price) const;
  Matrix between_vertices(double time_price, double price_share) const;

  double share(int k) const { return layout_.strength(0) * layout_.share(k); }  // s_i, the same in all blocks

  const ControlLayout& layout_;
  Eigen::MatrixXd waves_;  // eigenvectors of L_t, one a column, orthonormal
  VecX time_price_;        // its eigenvalues
  std::vector<Coupling> couplings_;
};

}  // namespace keydrape
