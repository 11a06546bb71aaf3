#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "control/derivatives/step_linearization.h"
#include "control/derivatives/step_storage.h"
#include "control/derivatives/step_store.h"
#include "control/derivatives/way_derivative.h"
#include "control/run/state_vector.h"
#include "control/run/trajectory.h"

namespace keydrape {

class LinearizedTrajectory;

// A sweep over the steps of a trajectory, in their order. It may end at any step, and leaves the derivatives
// as good as before. Where it fails, LinearizedTrajectory::failure() says why, and it has to end.
class StepSweep {
 public:
  // The derivatives of step n, with a factor: of 0, 1, .. in a forward sweep, of N - 1, N - 2, .. in a
  // backward one. Valid until the next call, of any sweep of the trajectory. The next step that is in the
  // scratch file is read by another thread while those before it are solved with: after the last one the
  // first that a sweep the other way will need. Null: it has failed. Throws what ScratchFile::read and the
  // observer of the trajectory throw.
  const StepLinearization* step(int n);
  // A solve with the derivatives of a step that it was given. False: it has failed.
  [[nodiscard]] bool solve(const StepLinearization& step, const VecX& b, VecX& x);

  // Whether steps have derivatives along their way instead, and those of step n, asked for likewise.
  bool goes_along_ways() const;
  std::unique_ptr<WayDerivative> way(int n);

  // What a sweep carries over a step where states a step before the start count: backward, the bars that the
  // step after the one to come leaves for its start; forward, the change of the state before. Empty: none.
  StateVector& carried() { return carried_; }
  bool knows_more_levels() const;

 private:
  friend class LinearizedTrajectory;
  StepSweep(LinearizedTrajectory& trajectory, SweepDirection direction, SolveAccuracy accuracy);
  void take_turn(int n);

  LinearizedTrajectory& trajectory_;
  SweepDirection direction_;
  SolveAccuracy accuracy_;
  int next_;  // the step that has to be asked for
  StateVector carried_;
};

// A trajectory, converged where its steps are solved, with the derivatives of its steps. Keeps of them what
// makes sweeps fastest within the budget (step_storage.h), so that a sweep costs little more than solves;
// what neither memory nor the scratch file has room for is made again whenever a sweep comes by, which is why
// sweeps change it. Of steps with derivatives along their way nothing is kept.
class LinearizedTrajectory {
 public:
  // Called before the derivatives of a step are made, and before each step of a sweep; may throw to abandon
  // that. Empty: nobody.
  using Observer = std::function<void()>;

  // `simulator`, `trajectory` and `scratch` (null: none) outlive this. Requires that every step converged.
  // Throws as Scratch::open, ScratchFile::append and the observer.
  LinearizedTrajectory(const Simulator& simulator, const Trajectory& trajectory, size_t memory_budget_bytes,
                       Scratch* scratch = nullptr, Observer observer = {});
  LinearizedTrajectory(const LinearizedTrajectory&) = delete;
  LinearizedTrajectory& operator=(const LinearizedTrajectory&) = delete;

  int step_count() const { return trajectory_.step_count(); }
  int vertex_count() const { return simulator_.model().vertex_count(); }

  // Sweeps, one at a time; this outlives them. What the last one left at hand serves the next.
  StepSweep forward_sweep(SolveAccuracy accuracy = SolveAccuracy::kDouble) {
    return {*this, SweepDirection::kForward, accuracy};
  }
  StepSweep backward_sweep(SolveAccuracy accuracy = SolveAccuracy::kDouble) {
    return {*this, SweepDirection::kBackward, accuracy};
  }

  const StorageCounts& counts() const { return counts_; }  // of steps, by what is kept of them
  int kept_count() const;                                  // steps of which a factor is kept
  int indefinite_count() const;  // steps whose H is not positive definite, of those that had a factor so far
  size_t memory_bytes() const { return memory_bytes_; }  // of what is kept
  int factorizations() const { return factorizations_; }
  // Why the last sweep that failed did; absent: none has. With a step whose H is singular every sweep does.
  const std::optional<DerivativeFailure>& failure() const { return failure_; }

 private:
  friend class StepSweep;
  std::unique_ptr<StepLinearization> assemble(int n);
  bool factorize(StepLinearization& step, StepLinearization::Precision precision);
  std::unique_ptr<StepLinearization> keep(int n, StepStorage storage, const StorageChoice& choice);
  const StepLinearization* step(int n, SweepDirection next);
  const StepLinearization* provide(int n);
  void release_passing();

  const Simulator& simulator_;
  const Trajectory& trajectory_;
  Observer observer_;
  StepWorkspace work_;  // of all steps
  StepStore store_;
  std::unique_ptr<StepLinearization> passing_;  // the last asked for of which nothing is kept
  int passing_index_ = -1;                      // the step whose factor goes with the next one that is made
  std::vector<bool> indefinite_;
  StorageCounts counts_{};
  size_t memory_bytes_ = 0;
  int factorizations_ = 0;
  std::optional<DerivativeFailure> failure_;
};

// Step n of a backward sweep: from the bars at its end and the seed at its start to the bars at its start;
// lambda receives dJ/du of the step, and `by_round` (null: not asked for) that of each round, empty where a
// step has none. Here and below, none: the sweep has failed.  (A1) to (A4)
std::optional<StateVector> adjoint_step(StepSweep& sweep, int n, const StateVector& bar,
                                        const StateVector& seed, VecX& lambda,
                                        WayDerivative::ByRound* by_round = nullptr);
// Step n of a forward sweep, from the change at its start and that of the force; `more`: of the forces in
// each round, beside that.  (T1)
std::optional<StateVector> tangent_step(StepSweep& sweep, int n, const StateVector& change, const VecX& du,
                                        const WayDerivative::ByRound& more = {});
// The seed, with zeros for the parts that are empty.
StateVector seed_or_zero(const StateVector& seed, int vertex_count);

}  // namespace keydrape
