#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "control/derivatives/run_sweeps.h"
#include "control/run/trajectory.h"
#include "io/python/bindings/built_task.h"

namespace keydrape::python {

// What a run is made with.
struct ClothOfRun {
  std::vector<VecX> channels{};                           // values of each of the task's channels
  std::shared_ptr<const ClothVariant> variant = nullptr;  // what they make of the cloth; null: as it is
};
// `channels`: empty for the values that the task's description has.
ClothOfRun cloth_of_run(const BuiltTask& task, std::vector<VecX> channels);

// Trajectory of Python: what happened, with the cloth that it happened to, and its derivatives as soon as
// they are asked for. Sweeps of one run wait for each other.
class Run {
 public:
  Run(TaskPointer task, ClothOfRun cloth, Trajectory trajectory);

  const BuiltTask& task() const { return *task_; }
  const TaskPointer& task_pointer() const { return task_; }
  const Trajectory& trajectory() const { return trajectory_; }
  const Simulator& simulator() const;
  const std::vector<VecX>& channels() const { return cloth_.channels; }
  bool is_complete() const;

  // Throw NoDerivatives, with the reason: steps that did not converge, derivatives that cannot be had,
  // of the steps or of a channel.
  RunInputs adjoint(const std::vector<StateVector>& seeds);
  std::vector<StateVector> tangent(const RunInputs& change);

 private:
  void linearize();
  const DrapeRounds* drape();  // how the cloth came to its start; null: as it is given
  std::unique_ptr<const ChannelDerivatives> channel_derivatives();
  [[noreturn]] void refuse() const;

  TaskPointer task_;
  ClothOfRun cloth_;
  std::shared_ptr<const ClothVariant> draped_;  // whose drape the derivatives go through
  const Trajectory trajectory_;
  std::mutex mutex_;
  std::unique_ptr<LinearizedTrajectory> linearized_;
  std::unique_ptr<const ChannelDerivatives> channels_;
};
using RunPointer = std::shared_ptr<Run>;

const Simulator& simulator_of(const BuiltTask& task, const ClothOfRun& cloth);
const State& start_of(const BuiltTask& task, const ClothOfRun& cloth);

// Runs all steps; looks for Ctrl-C after each, and throws what Python made of it. To be called without the
// GIL. Throws SimulationFailure.
RunPointer run_forward(TaskPointer task, ClothOfRun cloth, const ForceSchedule& forces);

// Why a step of the task did not converge, and what to try.
std::string failure_text(const BuiltTask& task, const StepReport& report);

// A run that did not come to its end.
struct SimulationFailure {
  std::string message;
  RunPointer run;  // as far as it came; null: nothing is known of it
};
struct NoDerivatives {
  std::string message;
};

}  // namespace keydrape::python
