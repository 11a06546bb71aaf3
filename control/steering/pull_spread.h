#pragma once

#include <Eigen/SparseCholesky>
#include <vector>

#include "control/goal/objective.h"
#include "control/unknowns/control_layout.h"

namespace keydrape {

// How a pull at few vertices reaches the cloth around them: harmonic (on graphs: Zhu, Ghahramani & Lafferty
// 2003) between these and what cannot be pushed, where it is 0 (control/EQUATIONS.md (G3)). A vertex alone
// would have to carry all that hangs on it.
class PullSpread {
 public:
  // `edges`: of the mesh. `is_pulled`: one an active vertex.
  PullSpread(const ControlLayout& layout, const std::vector<Objective::EdgeLength>& edges,
             const std::vector<char>& is_pulled);

  // Sets the rows of the other active vertices from those of the pulled ones. No component leaves the range
  // of these and 0; parts of the cloth that are not connected with a pulled vertex get 0.
  void spread(ControlLayout::Rows& a) const;

 private:
  std::vector<int> others_;               // active vertices that are not pulled
  Eigen::SparseMatrix<double> from_all_;  // (others, active): weights of edges to pulled vertices
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> inverse_;
};

}  // namespace keydrape
