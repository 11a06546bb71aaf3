#include "control/shooting/shooting_work.h"

#include <algorithm>
#include <numeric>

namespace keydrape {

ShootingWork& ShootingWork::operator+=(const ShootingWork& later) {
  forward_simulations += later.forward_simulations;
  adjoint_sweeps += later.adjoint_sweeps;
  tangent_sweeps += later.tangent_sweeps;
  newton_iterations += later.newton_iterations;
  factorizations += later.factorizations;
  time_steps += later.time_steps;
  forward_s += later.forward_s;
  linearize_s += later.linearize_s;
  adjoint_s += later.adjoint_s;
  tangent_s += later.tangent_s;
  trajectory_bytes = std::max(trajectory_bytes, later.trajectory_bytes);
  const bool was_linearized = std::accumulate(later.kept.begin(), later.kept.end(), 0) > 0;
  if (was_linearized) {
    kept = later.kept;
    indefinite_steps = later.indefinite_steps;
  }
  return *this;
}

}  // namespace keydrape
