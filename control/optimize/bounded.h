#pragma once

#include "control/optimize/optimizer.h"
#include "control/unknowns/ball_bounds.h"

namespace keydrape {

// A point within bounds, and the Gauss-Newton model there along faces of the bounds (control/EQUATIONS.md
// (B1) to (B3)). In the simplest case T_D is D.
class BoundedIterate : public Iterate {
 public:
  virtual VecX model_product(const VecX& dz) = 0;                  // H dz
  virtual VecX change(const VecX& w, const Face& face) = 0;        // T_D w
  virtual VecX local(const VecX& z_bar, const Face& face) = 0;     // T_D^T z_bar
  virtual VecX face_product(const VecX& w, const Face& face) = 0;  // A_D w = T_D^T (H + Lambda) T_D w
  // The objective near z + dz, within the bounds.
  virtual std::unique_ptr<BoundedIterate> step_to(const VecX& dz) = 0;
};

// Gauss-Newton under bounds, (B2) and (B3): projected conjugate gradients on the model, as More &
// Toraldo (1991) for boxes, and backtracking along the step. The objective of accepted iterates never
// rises, and all of them are within the bounds. Requires a start within them, which counts as one
// evaluation; `bounds` outlives the call. Reported gradients: without the part that pushes vectors on
// their bound outwards.
OptimizerResult minimize_projected_gauss_newton(std::unique_ptr<BoundedIterate> start,
                                                const BallBounds& bounds, const OptimizerOptions& options,
                                                const IterationObserver& observer);

// As of the method without bounds, within them.
std::unique_ptr<BoundedIterate> first_trial(BoundedIterate& at, const BallBounds& bounds,
                                            const OptimizerOptions& options);

// L-BFGS under bounds, by the change of variables (B4). Begins at `start`, drawn into the inside of the
// bounds and evaluated there, which counts even where the budget has none left.
OptimizerResult minimize_bounded_lbfgs(const PointSource& evaluate, std::unique_ptr<Point> start,
                                       const BallBounds& bounds, const OptimizerOptions& options,
                                       const IterationObserver& observer);

}  // namespace keydrape
