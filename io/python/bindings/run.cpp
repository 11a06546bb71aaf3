#include "io/python/bindings/run.h"

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <utility>

#include "control/run/rollout.h"
#include "core/base/error.h"
#include "io/file/counted.h"
#include "io/file/short_number.h"
#include "io/run/run_records.h"
#include "io/shot/control.h"

namespace keydrape::python {
namespace {

std::string failed_run_text(const BuiltTask& task, const Trajectory& trajectory) {
  const int n = trajectory.first_failure();
  const StepGrid& grid = task.task().grid;
  return fmt::format("the simulation failed at frame {}, substep {} of {}: {}",
                     task.first_frame + n / grid.substeps, n % grid.substeps + 1, grid.substeps,
                     failure_text(task, trajectory.reports[n]));
}

}  // namespace

// As failure_message (io/perform/result_text.h) has it of a scene.
std::string failure_text(const BuiltTask& task, const StepReport& report) {
  const std::string_view why = reason(report.end);
  const Simulator& simulator = *task.prepared.simulator;
  if (report.end == NewtonEnd::kBlocked)
    return fmt::format("{}, in {}; try more substeps, slower bodies, pins or stretch_scale", why,
                       counted(report.violations, "place"));
  if (report.end == NewtonEnd::kTooLong && report.iterations > 0)
    return fmt::format("{}, and its end is not finite; try more substeps", why);
  if (report.end == NewtonEnd::kTooLong)
    return fmt::format("{}; expected at least {} substeps", why,
                       substeps_that_do(task.task().grid.substeps, report.residual));
  if (simulator.is_explicit() || leaves_residuals(simulator))
    return fmt::format("{}; try more substeps, slower pins, or integrator = \"newton\"", why);
  return fmt::format(
      "{}; residual {} of the cloth's weight (newton_tolerance {}) after {} iterations; try more substeps, "
      "slower pins and bodies, or a larger max_newton_iterations or newton_tolerance",
      why, short_number(report.residual, 2), short_number(simulator.options().newton.tolerance, 2),
      report.iterations);
}

Run::Run(TaskPointer task, ClothOfRun cloth, Trajectory trajectory)
    : task_(std::move(task)), cloth_(std::move(cloth)), trajectory_(std::move(trajectory)) {}

const Simulator& Run::simulator() const { return simulator_of(*task_, cloth_); }

bool Run::is_complete() const {
  return trajectory_.step_count() == task_->task().grid.step_count() &&
         trajectory_.first_failure() == trajectory_.step_count();
}

// A run without given channels starts where the task's own drape ended. Its cloth comes to rest anew for the
// derivatives alone, so that the run keeps the bits that it has without them.
const DrapeRounds* Run::drape() {
  const Channels* known = task_->prepared.channels.get();
  if (!known || !task_->task().drape) return nullptr;
  if (!draped_)
    draped_ = cloth_.variant ? cloth_.variant
                             : std::make_shared<const ClothVariant>(known->variant(cloth_.channels));
  if (!draped_->has_start())
    throw NoDerivatives{fmt::format(
        "the cloth does not come to rest as smoothly as derivatives by channels need it: forces of {:.2g} of "
        "its weight are left; expected less; start without drape=True, or leave the channels out",
        draped_->drape->residual)};
  return draped_->drape ? &*draped_->drape : nullptr;
}

std::unique_ptr<const ChannelDerivatives> Run::channel_derivatives() {
  if (!task_->prepared.channels) return nullptr;
  try {
    return std::make_unique<const ChannelDerivatives>(*task_->prepared.channels, simulator(), trajectory_,
                                                      drape());
  } catch (const InputError& refusal) {
    throw NoDerivatives{refusal.what()};
  }
}

void Run::linearize() {
  if (!is_complete()) throw NoDerivatives{"the run did not come to its end: it has no derivatives"};
  if (linearized_) return;
  const auto steps = static_cast<std::size_t>(trajectory_.step_count());
  if (simulator().differentiates_way() && trajectory_.forces.size() != steps)
    throw NoDerivatives{fmt::format(
        "found the forces of {} of {} steps; expected all, since these steps are differentiated along their "
        "way; run it again with rollout",
        trajectory_.forces.size(), steps)};
  // Both or none: what follows takes the one for a sign of the other.
  std::unique_ptr<const ChannelDerivatives> channels = channel_derivatives();
  linearized_ =
      std::make_unique<LinearizedTrajectory>(simulator(), trajectory_, task_->options.whole_memory_bytes());
  channels_ = std::move(channels);
}

void Run::refuse() const {
  throw NoDerivatives{linearized_->failure() ? sentence(*linearized_->failure())
                                             : "the derivatives could not be computed"};
}

RunInputs Run::adjoint(const std::vector<StateVector>& seeds) {
  const std::lock_guard lock(mutex_);
  linearize();
  auto bars = keydrape::adjoint(*linearized_, seeds, channels_.get());
  if (!bars) refuse();
  return std::move(*bars);
}

std::vector<StateVector> Run::tangent(const RunInputs& change) {
  const std::lock_guard lock(mutex_);
  linearize();
  auto states = keydrape::tangent(*linearized_, change, channels_.get());
  if (!states) refuse();
  return std::move(*states);
}

ClothOfRun cloth_of_run(const BuiltTask& task, std::vector<VecX> channels) {
  const Channels* known = task.prepared.channels.get();
  if (!known) return {};
  if (channels.empty()) return {known->values(VecX::Zero(known->size())), nullptr};
  auto variant = std::make_shared<const ClothVariant>(known->variant(channels));
  if (!variant->is_possible)
    throw InputError(
        "channels: found a number that no fabric can have; expected finite ones, those of the material above "
        "0 and below 1e30, and a stretch_scale that stays above 0; give values nearer to those of the task");
  if (!variant->has_start())
    throw InputError(fmt::format(
        "channels: with these values the cloth does not come to rest, and drape=True has it start there: "
        "forces of {:.2g} of its weight are left; give values nearer to those of the task",
        variant->drape->residual));
  return {std::move(channels), std::move(variant)};
}

const Simulator& simulator_of(const BuiltTask& task, const ClothOfRun& cloth) {
  return cloth.variant && cloth.variant->simulator ? *cloth.variant->simulator : *task.prepared.simulator;
}

const State& start_of(const BuiltTask& task, const ClothOfRun& cloth) {
  return cloth.variant ? cloth.variant->start : task.prepared.start();
}

RunPointer run_forward(TaskPointer task, ClothOfRun cloth, const ForceSchedule& forces) {
  Trajectory trajectory = rollout(simulator_of(*task, cloth), start_of(*task, cloth), forces,
                                  task->task().grid.step_count(), [](int, const StepReport&) {
                                    const pybind11::gil_scoped_acquire gil;
                                    if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
                                    return true;
                                  });
  auto run = std::make_shared<Run>(std::move(task), std::move(cloth), std::move(trajectory));
  if (run->trajectory().first_failure() < run->trajectory().step_count())
    throw SimulationFailure{failed_run_text(run->task(), run->trajectory()), run};
  return run;
}

}  // namespace keydrape::python
