#pragma once

#include <memory>
#include <vector>

#include "control/run/state_vector.h"
#include "core/step/simulator.h"

namespace keydrape {

// The derivatives of a step that solves no equation, along what it did on its way: the rounds that it took
// (core/step/EQUATIONS.md (R4), (R5)), or its stages (R9). Exact, however far from converged: the derivative
// of the same rounds, whose line search is taken as given.
class WayDerivative {
 public:
  virtual ~WayDerivative() = default;

  // Changes of the step's forces that differ from round to round, or derivatives by those; empty: none.
  using ByRound = std::vector<VecX>;

  // The change at the end, from that at the start and those of the forces.
  virtual StateVector tangent(const StateVector& change, const VecX& du, const ByRound& more) = 0;
  // The transpose: from the bars at the end to those at the start, and dJ/du of each round or stage, of which
  // the sum is dJ/du.
  virtual StateVector adjoint(const StateVector& bar, ByRound& lambda) = 0;
};

// Of step n from there under the control forces u, which goes its way again. Requires
// Simulator::differentiates_way(). All outlive it; it is for the thread of `work`.
std::unique_ptr<WayDerivative> way_derivative(const Simulator& simulator, int n, const StepFrom& from,
                                              const VecX& u, StepWorkspace& work);

// The rounds of such a step: y_0 .. y_(K-1) and how far each went. Requires Simulator::takes_rounds().
RoundsRecord rounds_of(const Simulator& simulator, int n, const StepProblem& problem);

}  // namespace keydrape
