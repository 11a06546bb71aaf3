#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/shooting/search_memory.h"
#include "io/perform/explicit_limits.h"
#include "io/scene/scene.h"
#include "io/shot/shot.h"

// What a run would do, how large it is and how long it takes: --dry-run.

namespace keydrape {

// Measured on the first steps of the shot, without forces. Folds and contact that come later take longer.
struct StepCost {
  int sampled_steps = 0;
  double forward_s = 0;    // of one step
  double linearize_s = 0;  // derivatives of one step; 0 where a sampled step did not converge
  double sweep_s = 0;      // one step of a tangent and of an adjoint sweep
  std::string failure{};   // of a sampled step; empty: all converged
};

// Simulates the first steps, for a few seconds at most. Throws Interrupted.
StepCost measure_step_cost(const Shot& shot);

struct Plan {
  bool is_search = false;
  int steps = 0;
  int forward_simulations = 1;  // at most
  int windows = 0;              // of frames, one after the other; 0: the shot at once
  double forward_run_s = 0;
  double total_s = 0;                  // at most, about
  double state_bytes = 0;              // all states of one run, or of all runs that a search keeps at a time
  std::optional<SearchMemory> memory;  // of a search
  std::vector<ExplicitLimit> explicit_limits{};  // what steps without a matrix would need
  double recomputed_share = 0;  // of the steps whose factors do not fit and are made again in every sweep
};

Plan plan_simulation(const Shot& shot, const StepCost& cost);
// Throws InputError where memory_gb is too little for the search.
Plan plan_search(const Scene& scene, const Shot& shot, const StepCost& cost);

std::string plan_text(const Scene& scene, const Shot& shot, const StepCost& cost, const Plan& plan);
std::string plan_json(const Scene& scene, const Shot& shot, const StepCost& cost, const Plan& plan);

}  // namespace keydrape
