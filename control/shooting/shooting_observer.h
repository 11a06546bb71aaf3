#pragma once

#include "control/derivatives/derivative_failure.h"
#include "control/run/trajectory.h"

namespace keydrape {

// Told of what a problem simulates and differentiates, while it does. Every function may throw
// to abandon that.
class ShootingObserver {
 public:
  virtual ~ShootingObserver() = default;
  // After every step of every forward run, and of trials that are in none.
  virtual void on_step(int /*step*/, const StepReport& /*report*/) {}
  // After every forward run.
  virtual void on_run(const Trajectory& /*run*/) {}
  // Before every step of a sweep, and before the derivatives of a step are made.
  virtual void on_sweep_step() {}
  // A sweep has failed: its run has no gradient, or its model no product.
  virtual void on_no_derivatives(const DerivativeFailure& /*failure*/) {}
};

}  // namespace keydrape
