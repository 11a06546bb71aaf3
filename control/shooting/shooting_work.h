#pragma once

#include <cstddef>

#include "control/derivatives/step_storage.h"

namespace keydrape {

// Work and time spent, over the life of a problem; sums over several of them.
struct ShootingWork {
  int forward_simulations = 0;
  int adjoint_sweeps = 0;
  int tangent_sweeps = 0;
  long newton_iterations = 0;
  long factorizations = 0;
  long time_steps = 0;
  double forward_s = 0.0, linearize_s = 0.0, adjoint_s = 0.0, tangent_s = 0.0;
  std::size_t trajectory_bytes = 0;  // largest memory of states and factors
  StorageCounts kept{};              // steps of the last linearised trajectory, by what was kept of them
  int indefinite_steps = 0;          // of the same: steps whose H was not positive definite

  // Takes in the work of another problem that came after: sums, the larger memory, its last linearised
  // trajectory if it had one.
  ShootingWork& operator+=(const ShootingWork& later);
  // Counts the steps of a run, or of trials that are in none.
  template <class Reports>
  void count_steps(const Reports& reports) {
    time_steps += static_cast<long>(reports.size());
    for (const auto& report : reports) {
      newton_iterations += report.iterations;
      factorizations += report.factorizations;
    }
  }
};

}  // namespace keydrape
