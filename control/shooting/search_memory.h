#pragma once

#include "control/derivatives/step_storage.h"
#include "control/unknowns/channel/channels.h"
#include "control/unknowns/control_layout.h"
#include "core/step/simulator.h"

namespace keydrape {

// What is stored depends on it.
enum class StoredMethod { kGaussNewton, kBoundedGaussNewton, kLbfgs, kDescent };

// What a search stores at its peak, counted beforehand, and what is left for derivatives
// (control/EQUATIONS.md, "Memory"). The program itself, the mesh and the model are not in it.
struct SearchMemory {
  double budget = 0.0;        // [bytes], as everything here
  double scratch = 0.0;       // of the scratch file
  double trajectories = 0.0;  // the states of as many runs as live at a time
  double vectors = 0.0;       // of unknowns: points, gradients, conjugate gradients, pairs of L-BFGS
  double work_space = 0.0;    // of a time step: Newton's matrices and factors
  double channels = 0.0;      // what they keep of all steps, for derivatives
  double derivatives = 0.0;   // what is left for the others
  double needed = 0.0;        // the least budget: with no step kept, and as few pairs as are of use
  int memory_pairs = 0;       // L-BFGS: as many as fit, none for the other methods
  int model_vectors = 0;      // Gauss-Newton without bounds: OptimizerOptions
  StoragePlan plan;           // what is expected to become of `derivatives`; contact takes more

  bool fits() const { return needed <= budget; }
  double states_of_run = 0.0;
  // What ShootingProblem may use for the states and derivatives of one run.
  size_t of_run() const { return static_cast<size_t>(derivatives + channels + states_of_run); }
  double of_derivatives() const { return channels + plan.bytes; }  // as planned
};

// `seen_states`: how many states the goal sees. `wanted_pairs`: what L-BFGS would like to keep. `budget`: of
// the whole search. `channels`: whose unknowns are among those of the layout; null: none.
SearchMemory plan_search_memory(const Simulator& simulator, const ControlLayout& layout, StoredMethod method,
                                int seen_states, int wanted_pairs, const StorageBytes& budget,
                                const Channels* channels = nullptr);

}  // namespace keydrape
