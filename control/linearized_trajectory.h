#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "control/step_linearization.h"
#include "control/trajectory.h"

namespace keydrape {

// A converged trajectory with the derivatives of its steps. Keeps the factors of as many steps as the budget holds,
// so that a sweep costs solves only; the others are factorised again whenever a sweep comes by.
class LinearizedTrajectory {
 public:
  // `simulator` and `trajectory` outlive this. Requires that every step converged.
  LinearizedTrajectory(const Simulator& simulator, const Trajectory& trajectory, size_t memory_budget_bytes);

  int step_count() const { return trajectory_.step_count(); }
  double dt() const { return simulator_.dt(); }
  int vertex_count() const { return simulator_.model().vertex_count(); }
  // The derivatives of step n; valid until the next call.
  const StepLinearization& step(int n) const;

  int kept_count() const { return kept_count_; }
  int indefinite_count() const { return indefinite_count_; }  // steps whose H is not positive definite
  size_t memory_bytes() const { return memory_bytes_; }
  int factorizations() const { return factorizations_; }

 private:
  const Simulator& simulator_;
  const Trajectory& trajectory_;
  std::vector<std::unique_ptr<StepLinearization>> steps_;  // null: not kept
  mutable std::unique_ptr<StepLinearization> passing_;     // the one of the others that was asked for last
  mutable int passing_index_ = -1;
  int kept_count_ = 0;
  int indefinite_count_ = 0;
  size_t memory_bytes_ = 0;
  mutable int factorizations_ = 0;
};

// dJ/d(state), or a perturbation of a state.
struct StateVector {
  VecX x, v;
};

// One step of the backward sweep: from the bars at its end and the seed at its start to the bars at its start; lambda
// receives dJ/du of the step.  (A1) to (A4)
StateVector adjoint_step(const LinearizedTrajectory& trajectory, int n, const StateVector& bar,
                         const StateVector& seed, VecX& lambda);
// One step of the forward sweep, from the change at its start and that of the force.  (T1)
StateVector tangent_step(const LinearizedTrajectory& trajectory, int n, const StateVector& change, const VecX& du);
// The seed, with zeros for the parts that are empty.
StateVector seed_or_zero(const StateVector& seed, int vertex_count);

// Backward sweep: given seeds dJ/dx_n, dJ/dv_n for n = 0 .. N (either part may be empty: zero), the gradient dJ/du_n
// with respect to the force in each step [J-unit/N], and that with respect to the initial state.  (A1) to (A4)
struct AdjointResult {
  std::vector<VecX> u_bar;  // N, each (3n)
  StateVector initial;
};
AdjointResult adjoint(const LinearizedTrajectory& trajectory, const std::vector<StateVector>& seeds);

// Forward sweep: the change of all states under changes du_n of the forces, from a change of the initial state.  (T1)
// du: N, each (3n) or empty (zero).
std::vector<StateVector> tangent(const LinearizedTrajectory& trajectory, const std::vector<VecX>& du,
                                 const StateVector& initial);

}  // namespace keydrape
