#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "control/derivatives/step_linearization.h"
#include "core/step/simulator.h"

namespace keydrape {

// What happened: states x_0 .. x_N and how each step went. The sweeps take it as an argument (law 5).
struct Trajectory {
  std::vector<State> states;        // step_count() + 1
  std::vector<StepReport> reports;  // one a step
  std::vector<double> seconds;      // wall-clock time of each step [s]
  int taken_steps = 0;              // the first so many are those of a take, to the bit (control/run/taken_step.h)

  int step_count() const { return static_cast<int>(reports.size()); }
  const State& back() const { return states.back(); }
  // The first step that did not converge; step_count() if all did.
  int first_failure() const;
};

// The force on every vertex in step n [N] (3n), for a rollout. An interface, since control knows forces by block.
class ForceSchedule {
 public:
  virtual ~ForceSchedule() = default;
  virtual void force(int step, VecX& u) const = 0;
  // Where that step ended in the take that the forces are from; positions [m] (3n), or null: there is none. A rollout
  // keeps to the take for as long as its positions solve the steps.
  virtual const VecX* taken(int) const { return nullptr; }
};

// Forces chosen on the way, from the state that the cloth has come to.
class Steering {
 public:
  virtual ~Steering() = default;
  // The force on every vertex in step n, which starts at `state` [N] (3n). Called once for each step, in order.
  virtual void steer(int step, const State& state, VecX& u) = 0;
  // Where that step is expected to end, if that is known; positions [m] (3n). Called after steer().
  virtual std::optional<VecX> expected(int) const { return std::nullopt; }
  // As ForceSchedule::taken.
  virtual const VecX* taken(int) const { return nullptr; }
};

// Given forces, along a run that is expected to be close: where a step has several solutions, the one found there.
class ForcesAlong final : public Steering {
 public:
  // Both arguments outlive it; `reference` has every step.
  ForcesAlong(const ForceSchedule& forces, const Trajectory& reference) : forces_(forces), reference_(reference) {}

  void steer(int step, const State&, VecX& u) override { forces_.force(step, u); }
  std::optional<VecX> expected(int step) const override { return reference_.states[step + 1].x; }
  const VecX* taken(int step) const override { return forces_.taken(step); }

 private:
  const ForceSchedule& forces_;
  const Trajectory& reference_;
};

// Told after every step of a rollout, converged or not. Returns whether to go on; may throw to abandon the run.
using StepObserver = std::function<bool(int step, const StepReport& report)>;

// Runs `step_count` steps from `start`. Stops after the first step that does not converge: the trajectory then ends
// with that step's best iterate, and its last report says why. Stops early where `observer`, unless empty, says so.
Trajectory rollout(const Simulator& simulator, const State& start, const ForceSchedule& forces, int step_count,
                   const StepObserver& observer = {});
Trajectory rollout(const Simulator& simulator, const State& start, Steering& steering, int step_count,
                   const StepObserver& observer = {});

// A step whose number is a multiple of this begins without the factor of the step before it. So a trajectory
// that ends there is all that its continuation depends on.
inline constexpr int kStepsBetweenClearStarts = 16;

// The rest of a rollout, up to step `step_count`, behind the steps that `trajectory` has; at least its start.
// To the bits of a rollout in one piece, if these are a multiple of kStepsBetweenClearStarts.
void continue_rollout(const Simulator& simulator, Trajectory& trajectory, const ForceSchedule& forces,
                      int step_count, const StepObserver& observer = {});

// No force at all.
class NoForces final : public ForceSchedule {
 public:
  void force(int, VecX& u) const override { u.setZero(); }
};

}  // namespace keydrape
